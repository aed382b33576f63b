import { type RawBuilder, sql } from 'kysely'
import type { FoundDevice } from '../../../shared/api/search.ts'
import { beginningWith, fit, fitOf, type Named, sortedBy } from '../../db/best-named.ts'
import { compareCaseless } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson } from '../../lib/json.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Inventory } from '../inventory/index.ts'
import { type Known, matchOf } from './device-match.ts'
import { filteredDevices } from './device-query.ts'
import type { DeviceSearch, FoundByValue } from './search.ts'
import { spellingsOf } from './search-text.ts'
import type { Device } from './store.ts'

const names = [
  { column: 'display_name', index: 'devices_display_name' },
  { column: 'hostname', index: 'devices_hostname' },
] as const

type Which = 'in use' | 'decommissioned'

interface Others {
  ids: string[]
  /** Those with another value that begins with the text, or is the text. */
  byValue: ReadonlyMap<string, FoundByValue>
}

const none: Others = { ids: [], byValue: new Map() }

interface DeviceRow
  extends Pick<
    Device,
    'id' | 'hostname' | 'display_name' | 'status' | 'os_type' | 'last_user' | 'lan_ip' | 'wan_ip' | 'tags'
  > {
  org_name: string
  site_name: string
}

/** Finds single devices, by their names before all else they are searched by. */
export class BestDevices {
  readonly #db: Database
  readonly #search: DeviceSearch
  readonly #inventory: Inventory

  constructor(db: Database, search: DeviceSearch, inventory: Inventory) {
    this.#db = db
    this.#search = search
    this.#inventory = inventory
  }

  /** The best matches among those in reach. Decommissioned ones come last, unless they are called just so. */
  *find(actor: UserActor, text: string, limit: number): Steps<FoundDevice[]> {
    const named = yield* this.#beginning(actor, 'in use', text, limit)
    const others = named.length < limit ? yield* this.#others(actor, text, limit) : none
    const ids = new Set([...this.#called(actor, text, limit), ...named, ...others.ids])
    const found: FoundDevice[] = []
    for (const row of this.#best([...ids], text, others.byValue).slice(0, limit)) {
      found.push(this.#view(row, text))
      yield
    }
    return found
  }

  #beginning(actor: UserActor, which: Which, text: string, limit: number): Steps<string[]> {
    const named: Named = { table: 'devices', names, where: isFound(actor, which) }
    return beginningWith(this.#db, named, text, limit)
  }

  /** Decommissioned ones too. */
  *#others(actor: UserActor, text: string, limit: number): Steps<Others> {
    const former = yield* this.#beginning(actor, 'decommissioned', text, limit)
    const within = filteredDevices(actor, { includeDecommissioned: true })
    const spellings = spellingsOf(text)
    const beginning = yield* this.#search.beginning(within, spellings, 2 * limit)
    const having = yield* this.#search.some(within, spellings, 4 * limit)
    const idOf = this.#idsOf([...beginning.map(({ seq }) => seq), ...having])
    const byValue = new Map(beginning.map((found) => [idOf.get(found.seq) ?? '', found]))
    return { ids: [...former, ...idOf.values()], byValue }
  }

  #best(ids: readonly string[], text: string, byValue: Others['byValue']): DeviceRow[] {
    const byName = this.#read(ids).sort((one, other) => compareCaseless(nameOf(one), nameOf(other)))
    return sortedBy(byName, (row) => placeOf(row, text, byValue.get(row.id)))
  }

  /** Decommissioned ones of just this name, whatever is in use. */
  #called(actor: UserActor, text: string, limit: number): string[] {
    return names.flatMap(({ column, index }) => {
      const { sql: select, parameters } = sql`select id from devices indexed by ${sql.raw(index)}
        where ${sql.ref(column)} is not null and ${sql.ref(column)} collate nocase = ${text}
          and ${isFound(actor, 'decommissioned')} order by id limit ${limit}`.compile(q)
      return this.#db.statement<string>(select).pluck().all(parameters)
    })
  }

  #idsOf(seqs: readonly number[]): Map<number, string> {
    const rows = this.#db
      .statement<Pick<Device, 'seq' | 'id'>>(
        'SELECT devices.seq, devices.id FROM devices WHERE seq IN (SELECT value FROM json_each(?))',
      )
      .all(JSON.stringify(seqs))
    return new Map(rows.map(({ seq, id }) => [seq, id]))
  }

  #read(ids: readonly string[]): DeviceRow[] {
    return this.#db.all(
      q
        .selectFrom('devices')
        .innerJoin('organizations', 'organizations.id', 'devices.org_id')
        .innerJoin('sites', 'sites.id', 'devices.site_id')
        .select(['devices.id', 'hostname', 'display_name', 'devices.status', 'os_type', 'last_user'])
        .select(['lan_ip', 'wan_ip', 'tags', 'organizations.name as org_name', 'sites.name as site_name'])
        .where('devices.id', 'in', sql<string>`(select value from json_each(${JSON.stringify(ids)}))`),
    )
  }

  #view(row: DeviceRow, text: string): FoundDevice {
    const name = nameOf(row)
    const isByName = fitOf(name, text) < fit.elsewhere
    return {
      id: row.id,
      name,
      hostname: row.hostname,
      status: row.status,
      osType: row.os_type,
      orgName: row.org_name,
      siteName: row.site_name,
      matched: isByName ? null : matchOf(this.#known(row), text),
    }
  }

  #known(row: DeviceRow): Known {
    return {
      hostname: row.hostname,
      lastUser: row.last_user,
      lanIp: row.lan_ip,
      wanIp: row.wan_ip,
      tags: fromJson(row.tags),
      hardware: this.#inventory.hardware(row.id),
      adapters: this.#inventory.adapters(row.id),
    }
  }
}

const nameOf = ({ display_name, hostname }: DeviceRow) => display_name ?? hostname

function isFound(actor: UserActor, which: Which): RawBuilder<boolean> {
  const status = which === 'in use' ? sql`status <> 'decommissioned'` : sql`status = 'decommissioned'`
  return sql<boolean>`(${withinReach(actor, 'devices')} and ${status})`
}

/**
 * The smaller the better. A whole value, such as a serial number, comes right behind names that begin with the text, one
 * that begins with it behind names that have it anywhere.
 */
function placeOf(row: DeviceRow, text: string, byValue: FoundByValue | undefined): number {
  const named = Math.min(fitOf(row.hostname, text), fitOf(row.display_name, text))
  const valued = byValue ? (byValue.isWhole ? fit.beginsName : fit.within) + 0.5 : fit.elsewhere
  const place = Math.min(named, valued)
  return row.status === 'decommissioned' && named > fit.isName ? place + 2 * fit.elsewhere : place
}
