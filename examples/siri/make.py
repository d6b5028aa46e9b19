"""Positions of a few trams in the shape of SIRI VM, written to standard output: the data of this example."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2024, 5, 1, 8, 0, tzinfo=UTC)
# (seconds, vehicle, next stop, longitude, speed): two trams stand at 8.5412 from minute 1 on, a third one comes.
MOVING = [
    (30 * n, f"T{tram}", f"S{1 + (n + tram) // 4}", 8.5 + 0.001 * n + tram / 100, 30)
    for n in range(12)
    for tram in (1, 2)
]
STANDING = [(60 + 30 * n + tram, f"T{tram}", "S9", 8.5412, 0) for n in range(6) for tram in (7, 8)]
LATER = [
    *[(250, "T5", "S8", 8.539, 20), (280, "T5", "S9", 8.5405, 25)],
    *[(300, "T8", "S9", 8.5415, 5), (310, "T6", "S9", 8.54, 20)],
]


def activity(seconds: int, vehicle: str, stop: str, longitude: float, speed: int) -> str:
    return (
        f"<VehicleActivity><RecordedAtTime>{(START + timedelta(seconds=seconds)).isoformat()}</RecordedAtTime>"
        "<MonitoredVehicleJourney><LineRef>11</LineRef><DirectionRef>out</DirectionRef>"
        f"<VehicleLocation><Longitude>{longitude:.4f}</Longitude><Latitude>47.3769</Latitude></VehicleLocation>"
        f"<Velocity>{speed}</Velocity><VehicleRef>{vehicle}</VehicleRef>"
        f"<MonitoredCall><StopPointRef>{stop}</StopPointRef></MonitoredCall></MonitoredVehicleJourney></VehicleActivity>"
    )


print('<Siri xmlns="http://www.siri.org.uk/siri" version="2.0"><ServiceDelivery><VehicleMonitoringDelivery>')
for row in sorted([*MOVING, *STANDING, *LATER]):
    print(activity(*row))
print("</VehicleMonitoringDelivery></ServiceDelivery></Siri>")
