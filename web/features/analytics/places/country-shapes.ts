import { geoEqualEarth, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import atlas from 'world-atlas/countries-110m.json'

// ISO 3166 codes of the countries that the atlas draws, alpha-2 and numeric, without gaps between them.
const codes =
  'AE784AF004AL008AM051AO024AR032AT040AU036AZ031BA070BD050BE056BF854BG100BI108BJ204BN096BO068BR076BS044BT064BW072BY112BZ084CA124CD180CF140CG178CH756CI384CL152CM120CN156CO170CR188CU192CY196CZ203DE276DJ262DK208DO214DZ012EC218EE233EG818EH732ER232ES724ET231FI246FJ242FK238FR250GA266GB826GE268GH288GL304GM270GN324GQ226GR300GT320GW624GY328HN340HR191HT332HU348ID360IE372IL376IN356IQ368IR364IS352IT380JM388JO400JP392KE404KG417KH116KP408KR410KW414KZ398LA418LB422LK144LR430LS426LT440LU442LV428LY434MA504MD498ME499MG450MK807ML466MM104MN496MR478MW454MX484MY458MZ508NA516NC540NE562NG566NI558NL528NO578NP524NZ554OM512PA591PE604PG598PH608PK586PL616PR630PS275PT620PY600QA634RO642RS688RU643RW646SA682SB090SD729SE752SI705SK703SL694SN686SO706SR740SS728SV222SY760SZ748TD148TF260TG768TH764TJ762TL626TM795TN788TR792TT780TW158TZ834UA804UG800US840UY858UZ860VE862VN704VU548YE887ZA710ZM894ZW716'

const alphaOf = new Map(
  Array.from({ length: codes.length / 5 }, (_, at) => [
    codes.slice(at * 5 + 2, at * 5 + 5),
    codes.slice(at * 5, at * 5 + 2),
  ]),
)

const antarctica = '010'

export const mapSize = { width: 960, height: 450 }

export interface CountryShape {
  /** ISO 3166 alpha-2; undefined without a code. */
  code: string | undefined
  /** Unique. */
  name: string
  /** An SVG path in the size of the map. */
  path: string
}

/** The countries of the world without Antarctica, drawn once. */
export const countryShapes: readonly CountryShape[] = drawCountries()

function drawCountries(): CountryShape[] {
  const topology = atlas as unknown as Topology<{ countries: GeometryCollection<{ name: string }> }>
  const world = feature(topology, topology.objects.countries)
  const features = world.features.filter(({ id }) => id !== antarctica)
  // Cut through the Bering Strait, so that Russia is in one piece.
  const projection = geoEqualEarth().rotate([-11, 0]).fitSize([mapSize.width, mapSize.height], {
    type: 'FeatureCollection',
    features,
  })
  const draw = geoPath(projection).digits(1)
  return features.map((country) => ({
    code: codeOf(country.id, country.properties.name),
    name: country.properties.name,
    path: draw(country) ?? '',
  }))
}

/** Kosovo has a code that is in use, and no number. */
function codeOf(id: string | number | undefined, name: string): string | undefined {
  return id === undefined ? (name === 'Kosovo' ? 'XK' : undefined) : alphaOf.get(String(id))
}
