import { type DeviceMatch, deviceMatch } from '../../../shared/api/search.ts'
import type { Adapter, Hardware } from '../../../shared/device/inventory.ts'
import { folded } from '../../db/like.ts'
import { spellingsOf } from './search-text.ts'

export interface Known {
  hostname: string
  lastUser: string | null
  lanIp: string | null
  wanIp: string | null
  tags: readonly string[]
  hardware: Hardware | null
  adapters: readonly Adapter[]
}

/** What of a device has the text: a value that is just so, or else the first that has it somewhere. */
export function matchOf(known: Known, text: string): DeviceMatch | null {
  const wanted = spellingsOf(text).map(folded)
  const values = valuesOf(known).map((match) => ({ match, searched: searchedAs(match) }))
  const found =
    values.find(({ searched }) => wanted.includes(searched)) ??
    values.find(({ searched }) => wanted.some((spelling) => searched.includes(spelling)))
  return found?.match ?? null
}

const searchedAs = ({ field, value }: DeviceMatch) =>
  field === 'macAddress' ? folded(value).replace(/[:.-]/g, '') : folded(value)

function valuesOf({ hostname, hardware, adapters, lanIp, wanIp, lastUser, tags }: Known): DeviceMatch[] {
  const all: Record<DeviceMatch['field'], readonly (string | null | undefined)[]> = {
    hostname: [hostname],
    serialNumber: [hardware?.serialNumber],
    macAddress: adapters.map(({ macAddress }) => macAddress),
    ipAddress: [lanIp, wanIp, ...adapters.map(({ ipAddress }) => ipAddress)],
    lastUser: [lastUser],
    tag: tags,
    model: [hardware?.model],
    manufacturer: [hardware?.manufacturer],
  }
  return deviceMatch.shape.field.options.flatMap((field) =>
    all[field].flatMap((value) => (value ? { field, value } : [])),
  )
}
