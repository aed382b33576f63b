import { nameKey } from '../../../../shared/names.ts'
import type { Database } from '../../../db/database.ts'
import { inPieces, untilDone } from '../../../lib/pieces.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import type { ParsedRow } from './parsed-row.ts'

export interface Named {
  id: string
  name: string
}

/** The organizations in the caller's reach by `nameKey`, of those that a file names. */
export type OrganizationNames = ReadonlyMap<string, readonly Named[]>

/** Reads all names there are, in pieces: SQLite can not compare as a reader would, `Ö` with `ö`. */
export async function organizationsNamedIn(
  rows: readonly ParsedRow[],
  actor: UserActor,
  partnerId: string,
  db: Database,
): Promise<OrganizationNames> {
  const named = rows.flatMap(({ organizationId, organization }) =>
    organization && !organizationId ? [nameKey(organization)] : [],
  )
  const found = new Map<string, Named[]>(named.map((name) => [name, []]))
  if (found.size === 0) return found
  const page = db.statement<Named & { slug: string }>(
    `SELECT id, name, lower(slug) AS slug FROM organizations
     WHERE partner_id = ? AND lower(slug) > ? AND deleted_at IS NULL ORDER BY lower(slug) LIMIT ?`,
  )
  let last = ''
  await inPieces(untilDone, (maxRows) => {
    const organizations = page.all(partnerId, last, maxRows)
    for (const { id, name, slug } of organizations) {
      if (reachesOrg(actor, id)) found.get(nameKey(name))?.push({ id, name })
      last = slug
    }
    return organizations.length
  })
  return found
}
