import { backupLinkSettings } from '../../../shared/backup-plan.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import { fieldError } from '../../platform/errors.ts'
import { assertFullPaths } from '../backup-profiles/index.ts'
import type { CheckedLink, LinkKind, WantedLink } from '../configuration-policies/index.ts'
import { isOwnerSeen, type Owner, partnerOfOwner } from '../organization-access/index.ts'
import { ownSettings, settingsBesideProfile } from './settings.ts'

/** What a policy says about backups, and what it refers to with that: a profile, a storage. */
export class BackupLinks implements LinkKind {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  check(actor: UserActor, owner: Owner, wanted: WantedLink, before: WantedLink | null): CheckedLink {
    const { featurePolicyId: basis } = wanted
    const profileId = basis !== null && this.#isProfile(actor, owner, basis, before) ? basis : null
    const storageId = profileId === null ? basis : null
    if (storageId !== null) this.#assertStorage(owner, storageId, 'featurePolicyId')
    const own = profileId === null ? ownSettings(wanted.inlineSettings) : null
    if (own?.backupMode === 'file') assertFullPaths(own.targets.paths, pathsOf(before), 'inlineSettings.targets.paths')
    const settings = own ?? settingsBesideProfile(wanted.inlineSettings)
    const { destinationConfigId } = settings
    if (destinationConfigId) this.#assertStorage(owner, destinationConfigId, 'inlineSettings.destinationConfigId')
    return {
      inlineSettings: { ...settings },
      saved: (linkId) => this.#refer(linkId, profileId, destinationConfigId ?? storageId),
    }
  }

  /**
   * Of the owner, or of the partner above it; one that the link had before may be one that the actor does not see.
   * @throws AppError for a profile that nobody else may know of
   */
  #isProfile(actor: UserActor, owner: Owner, id: string, before: WantedLink | null): boolean {
    const profile = q.selectFrom('backup_profiles').select(['org_id', 'partner_id']).where('id', '=', id)
    const isKept = before?.featurePolicyId === id
    const found = this.#db.first(isKept ? profile : profile.where(isOwnerSeen(actor, 'backup_profiles')))
    if (!found) return false
    const fits =
      found.org_id === null
        ? found.partner_id === partnerOfOwner(this.#db, owner)
        : owner.org_id !== null && found.org_id === owner.org_id
    if (!fits) throw fieldError('featurePolicyId', noneOfOwner)
    return true
  }

  #assertStorage(owner: Owner, id: string, field: string): void {
    if (owner.org_id === null)
      throw fieldError(
        field,
        field === 'featurePolicyId'
          ? noneOfOwner
          : 'A partner-wide policy has no storage of its own: each organization backs up to its default storage',
      )
    const storage = q.selectFrom('backup_configs').select('id').where('id', '=', id).where('org_id', '=', owner.org_id)
    if (!this.#db.first(storage))
      throw fieldError(
        field,
        field === 'featurePolicyId' ? noneOfOwner : 'No storage of the organization of this policy',
      )
  }

  #refer(linkId: string, profileId: string | null, destinationId: string | null): void {
    this.#db.run(q.deleteFrom('backup_link_references').where('feature_link_id', '=', linkId))
    this.#db.run(
      q.insertInto('backup_link_references').values({
        feature_link_id: linkId,
        backup_profile_id: profileId,
        destination_config_id: destinationId,
      }),
    )
  }
}

/** The files and folders that a link has named until now. */
const pathsOf = (link: WantedLink | null): readonly string[] => {
  const { data } = backupLinkSettings.safeParse(link?.inlineSettings)
  return data?.backupMode === 'file' ? data.targets.paths : []
}

const noneOfOwner = 'No backup profile or storage of the owner of this policy'
