import { randomUUIDv7 } from 'node:crypto'
import type {
  BackupProfile,
  createBackupProfile,
  listBackupProfiles,
  updateBackupProfile,
} from '../../../shared/api/backup-profiles.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import { profileSelections } from '../../../shared/backup-plan.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import {
  assertOwnerWritable,
  grantedOrganization,
  isOwnerAbove,
  isOwnerSeen,
  ownerToBe,
  resolveOrganization,
} from '../organization-access/index.ts'
import { assertFullPaths } from './full-paths.ts'
import { type ProfileRow, profileView } from './views.ts'

interface ProfileServices {
  db: Database
  clock: Clock
  audit: Audit
}

/** What backups protect, for policies to refer to. */
export class BackupProfiles {
  readonly #services: ProfileServices

  constructor(services: ProfileServices) {
    this.#services = services
  }

  *list(actor: UserActor, named: string | undefined): Steps<ReplyOf<typeof listBackupProfiles>> {
    const { db } = this.#services
    const orgId = resolveOrganization(db, actor, named, 'backup_org_required')
    if (!reachesOrg(actor, orgId) || !grantedOrganization(db, actor, orgId)) throw new AppError('backup_org_required')
    const seen = q
      .selectFrom('backup_profiles')
      .where(isOwnerAbove(orgId, 'backup_profiles'))
      .where(isOwnerSeen(actor, 'backup_profiles'))
      .orderBy(byName('name'))
      .orderBy('id')
    const read = (some: readonly { id: string }[]) =>
      db.all(
        seen.selectAll().where(
          'id',
          'in',
          some.map(({ id }) => id),
        ),
      )
    return { data: yield* shownInSteps(db.all(seen.select('id')), read, profileView) }
  }

  read(actor: UserActor, id: string): BackupProfile {
    const row = this.#services.db.first(
      q.selectFrom('backup_profiles').selectAll().where('id', '=', id).where(isOwnerSeen(actor, 'backup_profiles')),
    )
    if (!row) throw new AppError('backup_profile_not_found')
    return profileView(row)
  }

  create(actor: UserActor, wanted: BodyOf<typeof createBackupProfile>, named: string | undefined): BackupProfile {
    const { db, clock } = this.#services
    assertFullPaths(pathsIn(wanted.selections), [], pathsField)
    return db.transaction(() => {
      const meant = { ownerScope: wanted.ownerScope, orgId: wanted.orgId ?? named }
      const denied = wanted.orgId ? 'org_access_denied' : 'backup_org_required'
      const owner = ownerToBe(db, actor, meant, { unclear: 'backup_org_required', denied })
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('backup_profiles').values({
          ...owner,
          id,
          name: wanted.name,
          description: wanted.description ?? null,
          selections: toJson(wanted.selections),
          is_active: wanted.isActive ? 1 : 0,
          created_at: now,
          updated_at: now,
        }),
      )
      const row = this.#byId(id)
      this.#record(actor, 'create', row)
      return profileView(row)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateBackupProfile>): BackupProfile {
    const { db, clock } = this.#services
    return db.transaction(() => {
      const before = this.#findToWrite(actor, id)
      const changedFields = changedFieldsOf(wanted)
      if (wanted.selections)
        assertFullPaths(pathsIn(wanted.selections), pathsIn(fromJson(before.selections)), pathsField)
      db.run(
        q
          .updateTable('backup_profiles')
          .set({
            ...(wanted.name && { name: wanted.name }),
            ...(wanted.description !== undefined && { description: wanted.description }),
            ...(wanted.selections && { selections: toJson(wanted.selections) }),
            ...(wanted.isActive !== undefined && { is_active: wanted.isActive ? 1 : 0 }),
            updated_at: isoNow(clock),
          })
          .where('id', '=', id),
      )
      const after = this.#byId(id)
      const view = profileView(after)
      this.#record(actor, 'update', after, changeOf(changedFields, profileView(before), view))
      return view
    })
  }

  remove(actor: UserActor, id: string): void {
    const { db } = this.#services
    db.transaction(() => {
      const row = this.#findToWrite(actor, id)
      const referencingPolicies = this.#policiesWith(id)
      if (referencingPolicies.length > 0)
        throw new AppError('backup_profile_in_use', {
          referencingPolicies,
          policies: referencingPolicies.map(({ name }) => name).join(', '),
        })
      db.run(q.deleteFrom('backup_profiles').where('id', '=', id))
      this.#record(actor, 'delete', row)
    })
  }

  /** Not limited to what the actor reaches: who may delete the profile reaches all of them. */
  #policiesWith(profileId: string) {
    return this.#services.db.all(
      q
        .selectFrom('backup_link_references as reference')
        .innerJoin('config_policy_feature_links as link', 'link.id', 'reference.feature_link_id')
        .innerJoin('configuration_policies as policy', 'policy.id', 'link.config_policy_id')
        .select(['policy.id', 'policy.name'])
        .where('reference.backup_profile_id', '=', profileId)
        .orderBy(byName('policy.name'))
        .orderBy('policy.id'),
    )
  }

  #findToWrite(actor: UserActor, id: string): ProfileRow {
    const { db } = this.#services
    const row = db.first(q.selectFrom('backup_profiles').selectAll().where('id', '=', id))
    if (!row) throw new AppError('backup_profile_not_found')
    assertOwnerWritable(db, actor, row, 'backup_profile_not_found')
    return row
  }

  #byId(id: string): ProfileRow {
    return this.#services.db.one(q.selectFrom('backup_profiles').selectAll().where('id', '=', id))
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'backup.profile'>,
    row: ProfileRow,
    details: Record<string, unknown> = {},
  ): void {
    this.#services.audit(actor, {
      action: `backup.profile.${what}`,
      resourceType: 'backup_profile',
      resourceId: row.id,
      resourceName: row.name,
      orgId: row.org_id,
      ...(row.partner_id && { partnerId: row.partner_id }),
      details,
    })
  }
}

const pathsField = 'selections.file.paths'

/** The files and folders that a profile names. */
const pathsIn = (selections: unknown): readonly string[] => {
  const { data } = profileSelections.safeParse(selections)
  return data?.file?.enabled ? data.file.paths : []
}
