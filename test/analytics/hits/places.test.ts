import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countryHeader, openPlaces, type Places } from '#server/analytics/hits/places.ts'
import { recordLog } from '#test/record-log.ts'
import { mmdbFile } from './mmdb-file.ts'

const nowhere = { country: '', region: '', city: '' }
const { log } = recordLog()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hoplet-places-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function openFile(content: Buffer | string, givenLog = log): Promise<Places> {
  const database = join(folder, 'test.mmdb')
  await writeFile(database, content)
  return openPlaces({ database, log: givenLog })
}

describe('the bundled database', () => {
  let places: Places
  beforeAll(async () => {
    places = await openPlaces({ log })
  })
  afterAll(() => places.close())

  it.each([
    ['8.8.8.8', 'US'],
    ['::ffff:8.8.8.8', 'US'],
    ['0:0:0:0:0:FFFF:8.8.8.8', 'US'],
    ['::ffff:808:808', 'US'],
    ['8.8.8.8:443', 'US'],
    ['[64:ff9b::808:808]:443', 'US'],
    ['2001:4860:4860::8888', 'US'],
    ['217.0.43.1', 'DE'],
    ['2003:0:0:1::1', 'DE'],
    ['133.11.93.0', 'JP'],
    ['212.58.244.70', 'GB'],
    ['200.160.2.3', 'BR'],
    ['2a02:898::1', 'NL'],
  ])('knows that %s is in %s', (address, country) => {
    expect(places.placeOf(address)).toEqual({ ...nowhere, country })
  })

  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:999.1.1.1',
    '::ffff:1:2:3',
    '',
    'unknown',
    '8.8.8',
    '8.8.8.8.8',
    'localhost',
  ])('knows no place of %j', (address) => {
    expect(places.placeOf(address)).toEqual(nowhere)
  })

  it('knows nothing after it was closed', async () => {
    const closed = await openPlaces({ log })
    closed.close()
    expect(closed.placeOf('8.8.8.8')).toEqual(nowhere)
  })
})

describe('another database', () => {
  it('may have regions and cities, as GeoLite2 and DB-IP write them', async () => {
    const { placeOf } = await openFile(
      mmdbFile({
        country: { iso_code: 'DE', names: { en: 'Germany' } },
        subdivisions: [{ iso_code: 'BY', names: { de: 'Bayern', en: 'Bavaria' } }],
        city: { names: { de: 'München', en: 'Munich' } },
      }),
    )
    expect(placeOf('8.8.8.8')).toEqual({ country: 'DE', region: 'Bavaria', city: 'Munich' })
    expect(placeOf('200.0.0.1')).toEqual(nowhere)
  })

  it('may have them as ip-location-db writes them', async () => {
    const { placeOf } = await openFile(
      mmdbFile({ country_code: 'JP', state1: 'Tokyo', city: 'Chiyoda', latitude: 35 }),
    )
    expect(placeOf('8.8.8.8')).toEqual({ country: 'JP', region: 'Tokyo', city: 'Chiyoda' })
  })

  it.each([
    ['no strings', { country_code: 49, state1: { en: 1 }, city: ['x'] }, nowhere],
    ['no country', { country_code: 'EU' }, nowhere],
    ['a country with a long name', { country_code: 'Germany' }, nowhere],
    [
      'long and broken lines',
      { country_code: 'de', state1: 'a\r\nb\u0000\u2028c ', city: 'x'.repeat(200) },
      { country: 'DE', region: 'a b c', city: 'x'.repeat(80) },
    ],
  ])('is not trusted: %s', async (_, record, place) => {
    const { placeOf } = await openFile(mmdbFile(record))
    expect(placeOf('8.8.8.8')).toEqual(place)
  })

  it('must be there, and be a database', async () => {
    const database = join(folder, 'missing.mmdb')
    await expect(openPlaces({ database, log })).rejects.toThrow(/GEOIP_DATABASE.*missing.*ENOENT/)
    await expect(openFile('country,code')).rejects.toThrow(/GEOIP_DATABASE/)
    await expect(openFile('')).rejects.toThrow(/GEOIP_DATABASE/)
    await expect(openPlaces({ database: folder, log })).rejects.toThrow(/GEOIP_DATABASE/)
    const bundled = createRequire(import.meta.url).resolve(
      '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
    )
    const content = await readFile(bundled)
    await expect(openFile(content.subarray(0, content.length - 10))).rejects.toThrow(
      /GEOIP_DATABASE/,
    )
  })

  it('is reported when it has no countries', async () => {
    const recorded = recordLog()
    await openFile(mmdbFile({ autonomous_system_number: 15169 }), recorded.log)
    expect(recorded.messages()).toEqual(['the database of addresses has no country for 8.8.8.8'])
  })

  it('costs no hit where it is damaged', async () => {
    const content = mmdbFile({ country_code: 'DE' })
    // The type of the record becomes a pointer to behind the end.
    content[22] = 0b0011_1111
    const recorded = recordLog()
    const { placeOf } = await openFile(content, recorded.log)
    expect(placeOf('8.8.8.8')).toEqual(nowhere)
    expect(placeOf('9.9.9.9')).toEqual(nowhere)
    expect(recorded.messages()).toEqual([
      'the database of addresses is damaged',
      'the database of addresses has no country for 8.8.8.8',
    ])
  })
})

it.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  [' fr ', 'FR'],
  ['XX', ''],
  ['T1', ''],
  ['xx', ''],
  ['Germany', ''],
  ['D', ''],
  ['', ''],
  ['DE, FR', ''],
  ['ſs', ''],
  [undefined, ''],
])('the header of a proxy %j names the country %j', (value, country) => {
  expect(countryHeader(value)).toBe(country)
})
