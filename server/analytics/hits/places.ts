import { createRequire } from 'node:module'
import maxmind, { type Reader, type Response } from 'maxmind'
import { canonicalAddress } from '#domain/visits/reading/addresses.ts'
import type { Logger } from '../../log.ts'
import { isPrivateAddress } from '../../primitives/public-address.ts'
import { errorMessage } from '../../primitives/caught-error.ts'

/** Where an address is. '' is not known. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  country: string
  /** English names, at most 80 characters. Only larger databases have them. */
  region: string
  city: string
}

export interface Places {
  placeOf: (address: string) => Place
  close: () => void
}

const nowhere: Place = { country: '', region: '', city: '' }
const bundled = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

/**
 * Opens the database of addresses and keeps it in memory: 8 MB for the bundled one of countries (CC0), as much as the
 * file for another (`GEOIP_DATABASE`: any MMDB of GeoLite2, DB-IP or ip-location-db).
 */
export async function openPlaces({
  database,
  log,
}: {
  database?: string | undefined
  log: Logger
}): Promise<Places> {
  let reader: Reader<Response> | undefined = await openDatabase(database)
  let isBroken = false

  const placeOf = (address: string): Place => {
    const ip = canonicalAddress(address) ?? ''
    // A database may have a place for private addresses: the bundled one says that 192.168.0.0/16 is in Australia.
    if (!reader || isPrivateAddress(ip)) return nowhere
    try {
      return placeIn(reader.get(ip))
    } catch (error) {
      // A damaged part of the file must not cost hits.
      if (!isBroken) log.error({ err: error }, 'the database of addresses is damaged')
      isBroken = true
      return nowhere
    }
  }

  if (placeOf('8.8.8.8').country === '')
    log.warn({ database }, 'the database of addresses has no country for 8.8.8.8')

  return { placeOf, close: () => (reader = undefined) }
}

async function openDatabase(path: string | undefined): Promise<Reader<Response>> {
  try {
    return await maxmind.open(path ?? createRequire(import.meta.url).resolve(bundled))
  } catch (error) {
    const reason = errorMessage(error)
    throw new Error(
      path === undefined
        ? `The bundled database of addresses cannot be read: ${reason}`
        : `GEOIP_DATABASE: ${path} is not a readable MMDB file: ${reason}`,
      { cause: error },
    )
  }
}

function placeIn(record: unknown): Place {
  const country = field(record, 'country_code') ?? field(record, 'country', 'iso_code')
  return {
    country: countryCode(country),
    region: placeName(field(record, 'subdivisions', 0, 'names', 'en') ?? field(record, 'state1')),
    city: placeName(field(record, 'city', 'names', 'en') ?? field(record, 'city')),
  }
}

/** Follows keys into a record of unknown shape. */
function field(record: unknown, ...keys: (string | number)[]): unknown {
  let value = record
  for (const key of keys)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return value
}

/** No place has these codes: unknown, unknown, Tor, Europe, Asia and Pacific. */
const noCountry = new Set(['XX', 'ZZ', 'T1', 'EU', 'AP'])

function countryCode(value: unknown): string {
  if (typeof value !== 'string' || !/^[a-z]{2}$/i.test(value)) return ''
  const code = value.toUpperCase()
  return noCountry.has(code) ? '' : code
}

function placeName(value: unknown): string {
  if (typeof value !== 'string') return ''
  return value
    .slice(0, 80)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}

/** The country that a proxy sends in the header of `GEOIP_HEADER`, for example Cloudflare's `CF-IPCountry`. */
export function countryHeader(value: string | undefined): string {
  return countryCode(value?.trim())
}
