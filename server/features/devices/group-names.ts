import { compareCaseless } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'

/** By the id of a device, the names of its groups that the actor may see; a device in none has no entry. */
export function groupNamesOf(db: Database, actor: UserActor, seqs: readonly number[]): Map<string, string[]> {
  const visible = withinReach(actor, 'device_groups').compile(q)
  const rows = db
    .statement<{ id: string; name: string }>(
      `SELECT devices.id, device_groups.name FROM devices
         JOIN device_group_members ON device_id = devices.id
         JOIN device_groups ON device_groups.id = group_id
       WHERE devices.seq IN (SELECT value FROM json_each(?)) AND ${visible.sql}`,
    )
    .all(JSON.stringify(seqs), ...visible.parameters)
  const names = new Map<string, string[]>()
  for (const { id, name } of rows) {
    const some = names.get(id)
    if (some) some.push(name)
    else names.set(id, [name])
  }
  for (const some of names.values()) some.sort(compareCaseless)
  return names
}
