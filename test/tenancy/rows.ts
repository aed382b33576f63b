import type { Database } from '../../server/db/database.ts'
import type { Caller } from './caller.ts'
import { seesContact, seesDevice, seesGroup, seesKey, seesOrganization, seesSite } from './model.ts'
import type { Tree } from './tree.ts'

/** Tables whose rows belong to a tenant, with the columns that say to which organization, site and device. */
const owned = {
  organizations: ['id'],
  sites: ['org_id'],
  devices: ['org_id', 'site_id', 'id'],
  device_commands: ['device_id'],
  device_groups: ['org_id', 'site_id'],
  device_group_members: ['device_id'],
  device_group_log: ['device_id'],
  contacts: ['org_id', 'site_id'],
  enrollment_keys: ['org_id', 'site_id'],
  api_keys: ['org_id'],
} as const

type Row = Record<string, unknown>
type Snapshot = Map<string, { text: string; table: string; owners: string[] }>

export interface Change {
  table: string
  owners: string[]
}

/** Every row of every tenant; counters that others keep are left out. */
export function snapshot(db: Database): Snapshot {
  const rows: Snapshot = new Map()
  for (const [table, columns] of Object.entries(owned))
    for (const row of db.statement(`SELECT * FROM ${table}`).all() as Row[]) {
      const { device_count: _, ...kept } = row
      const key = `${table} ${row.id ?? `${row.group_id} ${row.device_id}`}`
      const owners = columns.flatMap((column) => (row[column] === null ? [] : [String(row[column])]))
      rows.set(key, { text: JSON.stringify(kept), table, owners })
    }
  return rows
}

/** Rows that are new, gone or different, with the owners they had or have. */
export function changesSince(before: Snapshot, db: Database): Change[] {
  const after = snapshot(db)
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)]
    if (was?.text === is?.text) return []
    return [{ table: (is ?? was)?.table ?? '', owners: [...(was?.owners ?? []), ...(is?.owners ?? [])] }]
  })
}

/** Ids of everything in the tree the caller must not learn of. */
export const idsOutOf = (tree: Tree, caller: Caller): string[] =>
  [
    tree.orgs.filter((org) => !seesOrganization(caller, org)),
    tree.sites.filter((site) => !seesSite(caller, site)),
    tree.devices.filter((device) => !seesDevice(caller, device)),
    tree.groups.filter((group) => !seesGroup(caller, group)),
    tree.contacts.filter((contact) => !seesContact(caller, contact)),
    tree.keys.filter((key) => !seesKey(caller, key)),
    tree.apiKeys.filter(({ org }) => !seesOrganization(caller, org)),
  ].flatMap((rows) => rows.map(({ id }) => id))
