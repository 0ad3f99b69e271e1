"""A compact gazetteer: countries, regions, states of the USA and large or storied cities."""

_ONE_WORD = """
    Earth Broadway Hollywood Bollywood Macau Manchuria Aragon Castile Navarre Andalusia Flanders Wallonia
    Thrace Anatolia Mesopotamia Judea Galilee Samaria Transylvania Wallachia Ruthenia Courland Livonia
    Karelia Lapland Crimea Dalmatia Istria Slavonia Styria Carinthia Thuringia Westphalia Hesse Pomerania
    Rhineland Gascony Picardy Champagne Savoy Piedmont Liguria Umbria Calabria Apulia Campania Kashmir
    Punjab Gujarat Rajasthan Maharashtra Karnataka Kerala Bihar Odisha Assam Sindh Balochistan Yunnan
    Sichuan Guangdong Fujian Hunan Hubei Hebei Henan Shandong Shaanxi Gansu Xinjiang Hokkaido Honshu
    Kyushu Shikoku Sumatra Borneo Sulawesi Luzon Mindanao Zanzibar Tanganyika Rhodesia Transvaal Natal
    Biafra Darfur Patagonia Amazonia Yucatán Jalisco Chiapas Oaxaca Antioquia Bahia Pará Cornwall Devon
    Dorset Kent Sussex Surrey Essex Norfolk Suffolk Cumbria Durham Northumberland Lancashire Yorkshire
    Cheshire Shropshire Staffordshire Derbyshire Nottinghamshire Lincolnshire Leicestershire Warwickshire
    Worcestershire Herefordshire Gloucestershire Oxfordshire Buckinghamshire Bedfordshire Hertfordshire
    Cambridgeshire Somerset Wiltshire Hampshire Berkshire Middlesex Ulster Munster Leinster Connacht
    Gwynedd Powys Holland Afghanistan Albania Algeria Andorra Angola Argentina Armenia Australia Austria
    Azerbaijan Bahamas Bahrain Bangladesh Barbados Belarus Belgium Belize Benin Bhutan Bolivia Bosnia
    Botswana Eastbourne Norwood Brazil Brunei Bulgaria Burma Burundi Cambodia Cameroon Canada Chad Chile
    China Colombia Congo Croatia Cuba Cyprus Czechoslovakia Denmark Djibouti Ecuador Egypt Eritrea Estonia
    Ethiopia Fiji Finland France Gabon Gambia Germany Ghana Greece Greenland Grenada Guatemala Guinea
    Guyana Haiti Honduras Hungary Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan
    Jordan Kazakhstan Kenya Kosovo Kuwait Kyrgyzstan Laos Latvia Lebanon Lesotho Liberia Libya
    Liechtenstein Lithuania Luxembourg Macedonia Madagascar Malawi Malaysia Maldives Mali Malta Mauritania
    Mauritius Mexico Moldova Monaco Mongolia Montenegro Morocco Mozambique Myanmar Namibia Nepal
    Netherlands Nicaragua Niger Nigeria Norway Oman Pakistan Palestine Panama Paraguay Persia Peru
    Philippines Poland Portugal Prussia Qatar Romania Russia Rwanda Samoa Senegal Serbia Siam Singapore
    Slovakia Slovenia Somalia Spain Sudan Suriname Sweden Switzerland Syria Taiwan Tajikistan Tanzania
    Thailand Tibet Togo Tonga Tunisia Turkey Turkmenistan Uganda Ukraine Uruguay Uzbekistan Vanuatu
    Venezuela Vietnam Wales Yemen Yugoslavia Zambia Zimbabwe England Scotland Britain Africa Asia Europe
    America Oceania Antarctica Scandinavia Siberia Balkans Bavaria Saxony Bohemia Moravia Galicia Silesia
    Tuscany Lombardy Sicily Sardinia Corsica Provence Normandy Brittany Burgundy Alsace Lorraine Catalonia
    Andalusia Castile Crimea Bengal Punjab Kashmir Kerala Manchuria Korea Gaul Judea Mesopotamia Babylon
    Macedon Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia
    Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan
    Minnesota Mississippi Missouri Montana Nebraska Nevada Ohio Oklahoma Oregon Pennsylvania Tennessee
    Texas Utah Vermont Virginia Washington Wisconsin Wyoming Ontario Quebec Manitoba Alberta Saskatchewan
    Yukon Queensland Tasmania Victoria London Paris Berlin Rome Madrid Vienna Moscow Beijing Peking Tokyo
    Delhi Mumbai Bombay Calcutta Kolkata Madras Chennai Bangalore Lahore Karachi Dhaka Kabul Tehran
    Baghdad Damascus Beirut Jerusalem Cairo Alexandria Istanbul Constantinople Athens Sparta Corinth
    Thebes Carthage Troy Venice Florence Milan Naples Genoa Turin Bologna Padua Pisa Verona Palermo
    Barcelona Seville Valencia Granada Toledo Lisbon Porto Brussels Antwerp Bruges Ghent Amsterdam
    Rotterdam Leiden Utrecht Copenhagen Stockholm Oslo Bergen Helsinki Reykjavik Dublin Belfast Cork
    Edinburgh Glasgow Aberdeen Dundee Leith Cardiff Swansea Manchester Liverpool Birmingham Leeds
    Sheffield Bristol Newcastle York Hull Oxford Cambridge Nottingham Leicester Norwich Exeter Plymouth
    Southampton Portsmouth Brighton Bath Durham Sunderland Canterbury Westminster Soho Lambeth Southwark
    Greenwich Chelsea Kensington Hampstead Battersea Kent Sussex Essex Surrey Norfolk Suffolk Devon
    Cornwall Yorkshire Lancashire Cheshire Somerset Dorset Hampshire Berkshire Middlesex Munich Hamburg
    Cologne Frankfurt Dresden Leipzig Stuttgart Nuremberg Bremen Hanover Göttingen Heidelberg Weimar Jena
    Prague Budapest Warsaw Krakow Cracow Gdansk Danzig Königsberg Riga Vilnius Tallinn Minsk Kiev Kyiv
    Odessa Leningrad Petersburg Sevastopol Bucharest Sofia Belgrade Zagreb Sarajevo Zürich Zurich Geneva
    Basel Bern Lausanne Lyon Marseille Marseilles Bordeaux Toulouse Strasbourg Nantes Rouen Lille Reims
    Orléans Avignon Dijon Versailles Boston Chicago Philadelphia Baltimore Detroit Cleveland Pittsburgh
    Cincinnati Houston Dallas Austin Denver Seattle Portland Atlanta Miami Memphis Nashville Richmond
    Charleston Savannah Milwaukee Minneapolis Honolulu Hollywood Brooklyn Manhattan Bronx Harlem Queens
    Albany Buffalo Rochester Princeton Toronto Montreal Ottawa Vancouver Winnipeg Calgary Edmonton Halifax
    Havana Kingston Caracas Bogotá Lima Quito Santiago Montevideo Brasília Sydney Melbourne Brisbane Perth
    Adelaide Canberra Hobart Auckland Wellington Christchurch Shanghai Nanjing Nanking Canton Guangzhou
    Shenzhen Wuhan Chongqing Tianjin Taipei Kyoto Osaka Hiroshima Nagasaki Kobe Seoul Pyongyang Busan
    Hanoi Saigon Huế Bangkok Manila Jakarta Rangoon Mandalay Colombo Kathmandu Lagos Accra Nairobi
    Johannesburg Pretoria Algiers Tunis Tripoli Casablanca Marrakesh Khartoum Mecca Medina Riyadh Dubai
    Doha Gaza Haifa Thames Severn Mersey Tyne Clyde Seine Loire Rhine Danube Elbe Oder Vistula Volga Nile
    Ganges Indus Euphrates Tigris Yangtze Mekong Amazon Tiber Rhône Potomac Hudson Alps Pyrenees Andes
    Himalayas Caucasus Urals Carpathians Sahara Atlantic Pacific Mediterranean Baltic Caribbean Adriatic
    Deutschland Frankreich Österreich Schweiz München Wien Köln Bayern Preußen Italien Spanien Russland
    Londres Allemagne Angleterre Espagne Italie Suisse España Alemania Italia Francia Roma Milano Firenze
    Napoli Venezia Москва Россия Лондон Париж Петербург Киев Лондоне Москве Париже
"""
_LONGER = """
    United States| United Kingdom| United States of America| Great Britain| Northern Ireland| New Zealand|
    South Africa| South Korea| North Korea| Saudi Arabia| Sri Lanka| Costa Rica| El Salvador| Puerto Rico|
    Dominican Republic| Czech Republic| Soviet Union| Ottoman Empire| Roman Empire| Holy Roman Empire|
    British Empire| Hong Kong| New York| New York City| New Jersey| New Hampshire| New Mexico| New
    Orleans| New Delhi| New England| New South Wales| Nova Scotia| British Columbia| North Carolina| South
    Carolina| North Dakota| South Dakota| West Virginia| Rhode Island| Los Angeles| San Francisco| San
    Diego| San Antonio| San José| Las Vegas| Santa Fe| Salt Lake City| Kansas City| St. Louis| St Louis|
    St. Petersburg| Saint Petersburg| St Petersburg| Rio de Janeiro| São Paulo| Buenos Aires| Mexico City|
    Cape Town| Addis Ababa| Tel Aviv| Kuala Lumpur| Ho Chi Minh City| Hồ Chí Minh| Hà Nội| Việt Nam| Viet
    Nam| Đà Nẵng| Sài Gòn| Papua New Guinea| Sierra Leone| Ivory Coast| Burkina Faso| Middle East| Far
    East| Latin America| North America| South America| Central America| West Indies| East Indies| Western
    Europe| Eastern Europe| East Germany| West Germany| Nazi Germany| East Anglia| Isle of Wight| Isle of
    Man| Tower Hamlets| The Hague| Den Haag| Abu Dhabi| Washington, D.C.| Washington D.C.| Asia Minor|
    Frankfurt am Main| Great Lakes| Black Sea| Red Sea| North Sea| Irish Sea| English Channel| Panama
    Canal| Suez Canal| British India| Golden Square| Bosnia and Herzegovina| Trinidad and Tobago| Antigua
    and Barbuda| Newfoundland and Labrador| U.S.| U.K.| US| USA| UK| U.S.A.| USSR| Dar es Salaam| Upper
    Canada| Lower Canada| Papua| Hawaiʻi
"""
PLACES = frozenset(_ONE_WORD.split()) | frozenset(" ".join(name.split()) for name in _LONGER.split("|"))
