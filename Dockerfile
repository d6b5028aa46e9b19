# Xylem with Spark in a container. Without arguments it runs the demo:
#   docker build -t xylem . && docker run --rm xylem
#   docker run --rm -v "$PWD:/data" xylem xylem run -q 'count(//page)' -i /data/dump.xml.bz2
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml MANIFEST.in README.md CHANGELOG.md LICENSE ./
COPY kernel kernel
COPY python python
RUN python3 -m venv /build && /build/bin/pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .
# The kernel is optional in a build; in an image it must be there.
RUN python3 -m zipfile -l /wheels/*.whl | grep -q _kernel.abi3.so

FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN wheel="$(ls /wheels/*.whl)" && pip install --no-cache-dir "${wheel}[spark,schema,frames,zstd,remote,shell,console,network]"
WORKDIR /xylem
COPY examples examples
RUN useradd --create-home xylem && chown -R xylem /xylem
USER xylem
CMD ["sh", "examples/demo.sh"]
