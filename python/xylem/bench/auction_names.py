"""Names for the people and places of generated auctions: data only."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


FIRST_NAMES: Final = _words(
    """
    Adaeze Adrian Agnes Ahmed Aiko Alan Alberto Aleksandra Alice Amadou Amelia Amir Anders Andrea Angela Anil
    Anneliese Antonio Arjun Arthur Astrid Ayumi Beatriz Benjamin Bernadette Birgit Bogdan Brigitte Bruno Camila Carlos
    Caroline Catherine Cecilia Charlotte Chiara Christian Clara Claudia Constantin Cristina Daiki Daniela Dariusz
    David Deborah Deepak Dieter Dimitri Dolores Dorothea Edward Eileen Ekaterina Elena Elisabeth Emeka Emilio Emmanuel
    Enrico Erika Esther Eugene Fabrizio Farid Fatima Felipe Ferdinand Fiona Florence Francesca Francisco Frederik
    Gabriela Genevieve Georgios Gerard Giovanna Gloria Gottfried Graciela Gunnar Gustavo Haruki Hassan Hector Heinrich
    Helena Henrietta Hiroshi Hortense Hugo Ibrahim Ignacio Ikram Ingrid Irene Isabella Ivan Jacqueline Jakob Jan
    Javier Jeanne Jennifer Jiro Joachim Johanna Jorge Josephine Juliette Kamala Karolina Katsumi Keiko Kenneth Khadija
    Kiran Konrad Kwame Laszlo Laurence Leila Leonard Leticia Liam Lorenzo Lucienne Ludwig Luisa Magdalena Mahmoud
    Manfred Marcelo Margarita Mariko Marisol Martin Matthias Mehmet Mercedes Michiko Miguel Mildred Miroslav Mohamed
    Monique Nadia Naoko Natalia Nicolas Nikhil Noriko Octavia Olga Oluwaseun Oscar Paolo Patricia Pauline Pedro
    Penelope Philippe Pradeep Priya Rafael Rahul Ramona Raymond Rebecca Ricardo Roberto Rosalind Rudolf Sabine
    Salvatore Samuel Sandra Satoshi Sebastian Seiji Shanti Sigrid Silvia Simone Sofia Stanislaw Stefania Sumiko
    Susanne Sylvester Tadeusz Takeshi Tamara Tatiana Thandiwe Theodora Thomas Timothy Tomoko Ulrike Umberto Ursula
    Valentina Vasily Veronica Victor Vijay Vincent Virginia Vladimir Walter Wanda Wilhelmina Winifred Xavier Yasmin
    Yolanda Yoshiko Yusuf Zacharias Zbigniew Zeynep Zofia
    """
)

LAST_NAMES: Final = _words(
    """
    Abendroth Achterberg Adeyemi Agarwal Aguirre Albrecht Almeida Andersen Antonov Aoki Archer Arnesen Ashworth
    Avramov Baker Balogh Banerjee Barbieri Barrett Bauer Beaumont Becker Bellini Benitez Bergstrom Bianchi Blackwood
    Blanchard Bondarenko Bosch Bouchard Bradley Brandt Brennan Brouwer Bukowski Burkhardt Cabrera Calderon Campbell
    Cardoso Carlsson Castellano Chandra Chevalier Christensen Clarke Colombo Contreras Corrigan Costa Cunningham
    Dahlberg Dalgaard Davenport Delacroix Desai Diallo Dimitrov Dominguez Donnelly Dubois Duncan Eberhardt Echeverria
    Edwards Ekstrom Ellis Engel Eriksen Esposito Fairbanks Falk Farkas Fernandes Ferrari Fischer Fitzgerald Fleming
    Forsberg Fournier Frazier Fujimoto Gallagher Garcia Gauthier Georgiou Gerhardt Giordano Goldberg Gonzalez Goto
    Graham Gruber Guerrero Gustafson Hakimi Halvorsen Hamilton Hartmann Hashimoto Hawkins Heikkinen Hernandez Hoffmann
    Holmgren Horvath Huang Hughes Ibanez Ikeda Ilic Inoue Isaksen Ito Ivanova Jablonski Jacobsen Jankowski Jansen
    Jimenez Johansson Kamara Kapoor Karlsen Kato Kaufmann Keller Kennedy Khan Kimura Kirchner Kobayashi Kowalski
    Kramer Krishnan Kruger Kumar Lachance Lambert Larsson Laurent Lefebvre Lehmann Leonardi Lindqvist Lombardi Lopez
    Lukacs Lundgren Macdonald Maeda Magnusson Malik Mancini Marchetti Marek Martinez Matsuda Mbeki McCarthy Mehta
    Mendoza Meyer Mikkelsen Miyazaki Moller Monteiro Moreau Morgan Moriarty Muller Murakami Nakamura Navarro Nguyen
    Nielsen Nikolaidis Nordstrom Novak Nowicki Obermann Ogawa Okafor Oliveira Olsen Ortega Ozdemir Pacheco Palmer
    Papadakis Parker Pasternak Patel Pavlov Pedersen Pellegrini Pereira Petrov Pfeiffer Pham Pinto Popescu Prieto
    Quigley Quintana Rahman Ramirez Rasmussen Reinhardt Ricci Richter Rivera Robinson Romano Rosenthal Rousseau Ruiz
    Russo Saito Salazar Santos Sasaki Schaefer Schneider Schulz Serrano Shapiro Sharma Shimizu Silva Simonsen Singh
    Sokolov Sorensen Steiner Stewart Suzuki Svensson Szabo Takahashi Tanaka Thompson Thorvaldsen Tkachenko Torres Toth
    Tremblay Tsukamoto Ueda Ullman Underwood Urbina Valdez Vandenberg Vargas Vasquez Vermeulen Villanueva Vogel Volkov
    Wagner Walsh Watanabe Weber Weiss Whitfield Williams Winkler Wisniewski Wojcik Yamamoto Yilmaz Yoshida Zamora
    Zapata Zhang Ziegler Zimmermann
    """
)

HOSTS: Final = _words(
    """
    acm.example alpha.example arc.example atlas.example aurora.example beacon.example birch.example brook.example
    cedar.example cobalt.example comet.example coral.example delta.example dune.example elm.example ember.example
    fern.example fjord.example forge.example gale.example glen.example harbor.example hazel.example heron.example
    iris.example ivy.example jade.example kelp.example lark.example linden.example lotus.example lynx.example
    maple.example mesa.example mica.example nova.example oak.example onyx.example opal.example orbit.example
    otter.example pearl.example pine.example prairie.example quartz.example quill.example raven.example reef.example
    ridge.example river.example rowan.example sable.example sage.example slate.example solar.example sparrow.example
    summit.example tern.example thorn.example tidal.example topaz.example tundra.example vale.example velvet.example
    willow.example wren.example yew.example zephyr.example
    """
)

# One word each, as in XMark: a name of two words is cut after the first there too.
CITIES: Final = _words(
    """
    Aberdeen Abidjan Accra Adelaide Albany Amarillo Amsterdam Antwerp Athens Atlanta Auckland Augusta Austin Bangkok
    Barcelona Basel Beirut Belgrade Bergen Berlin Bilbao Birmingham Bogota Boise Bologna Bombay Boston Bremen Brisbane
    Bristol Brussels Bucharest Budapest Buffalo Cairo Calgary Canberra Caracas Cardiff Casablanca Charleston Chicago
    Cincinnati Cleveland Cologne Columbus Copenhagen Dakar Dallas Dayton Delhi Denver Detroit Dresden Dublin Durban
    Edinburgh Edmonton Florence Frankfurt Geneva Genoa Glasgow Gothenburg Granada Halifax Hamburg Hanoi Hartford
    Havana Helsinki Houston Istanbul Jakarta Johannesburg Kansas Karachi Kiev Kingston Kyoto Lagos Lausanne Leeds
    Leipzig Lima Linz Lisbon Liverpool Ljubljana London Louisville Lubbock Lyon Madrid Malmo Manchester Manila
    Marseille Medellin Melbourne Memphis Miami Milan Milwaukee Minneapolis Monterrey Montreal Moscow Munich Nagoya
    Nairobi Naples Nashville Oakland Omaha Orlando Osaka Oslo Ottawa Palermo Paris Perth Philadelphia Phoenix
    Pittsburgh Porto Portland Prague Quebec Raleigh Rennes Reykjavik Richmond Riga Rome Rotterdam Sacramento Salzburg
    Santiago Sapporo Savannah Seattle Seoul Seville Shanghai Singapore Sofia Stockholm Strasbourg Stuttgart Sydney
    Syracuse Tallinn Tampa Toledo Toronto Toulouse Tucson Tulsa Turin Uppsala Utrecht Valencia Vancouver Venice Vienna
    Vilnius Warsaw Wellington Wilmington Winnipeg Yokohama Zagreb Zurich
    """
)

COUNTRIES: Final = _phrases(
    """
    Albania, Algeria, Andorra, Angola, Antigua, Argentina, Armenia, Australia, Austria, Azerbaijan, Bahamas, Bahrain,
    Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bhutan, Bolivia, Botswana, Brazil, Brunei, Bulgaria,
    Burundi, Cambodia, Cameroon, Canada, Cape Verde, Chad, Chile, China, Colombia, Comoros, Congo, Costa Rica,
    Croatia, Cuba, Cyprus, Czech Republic, Denmark, Djibouti, Dominica, East Timor, Ecuador, Egypt, El Salvador,
    Equatorial Guinea, Eritrea, Estonia, Ethiopia, Faroe Islands, Fiji, Finland, France, French Guiana, Gabon, Gambia,
    Georgia, Germany, Ghana, Gibraltar, Greece, Greenland, Grenada, Guadeloupe, Guatemala, Guinea, Guyana, Haiti,
    Honduras, Hong Kong, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica,
    Japan, Jordan, Kazakhstan, Kenya, Kiribati, Kuwait, Laos, Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein,
    Lithuania, Luxembourg, Macau, Madagascar, Malawi, Malaysia, Maldives, Mali, Malta, Marshall Islands, Martinique,
    Mauritania, Mauritius, Mexico, Micronesia, Moldova, Monaco, Mongolia, Morocco, Mozambique, Myanmar, Namibia,
    Nauru, Nepal, Netherlands, New Caledonia, New Zealand, Nicaragua, Niger, Nigeria, Norfolk Island, Norway, Oman,
    Pakistan, Palau, Panama, Papua New Guinea, Paraguay, Peru, Philippines, Poland, Portugal, Puerto Rico, Qatar,
    Reunion, Romania, Rwanda, Saint Lucia, Samoa, San Marino, Saudi Arabia, Senegal, Seychelles, Sierra Leone,
    Singapore, Slovakia, Slovenia, Solomon Islands, Somalia, South Africa, Spain, Sri Lanka, Sudan, Suriname,
    Swaziland, Sweden, Switzerland, Syria, Taiwan, Tajikistan, Tanzania, Thailand, Togo, Tonga, Trinidad and Tobago,
    Tunisia, Turkey, Turks and Caicos Islands, Tuvalu, Uganda, Ukraine, United Arab Emirates, United Kingdom, Uruguay,
    Uzbekistan, Vanuatu, Venezuela, Vietnam, Western Sahara, Yemen, Zambia, Zimbabwe
    """
)

STATES: Final = _phrases(
    """
    Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia, Hawaii, Idaho,
    Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota,
    Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina,
    North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas,
    Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming
    """
)

PAYMENTS: Final = ("Money order", "Creditcard", "Personal Check", "Cash")
SHIPPINGS: Final = (
    "Will ship only within country",
    "Will ship internationally",
    "Buyer pays fixed shipping charges",
    "See description for charges",
)
EDUCATIONS: Final = ("High School", "College", "Graduate School", "Other")
