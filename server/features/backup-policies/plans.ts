import {
  type BackupSelection,
  backupLinkSettings,
  type ProfileLinkSettings,
  profileLinkSettings,
} from '../../../shared/backup-plan.ts'
import { isObject } from '../../../shared/objects.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import { selectionsOf } from '../backup-profiles/index.ts'
import type { Link } from '../configuration-policies/index.ts'
import type { BackupPlan } from './device-backup.ts'
import { selectionOf } from './settings.ts'

/** Plans of policies, each read once. What cannot be used of one is no reason to leave the devices of others without. */
export class Plans {
  readonly #db: Database
  readonly #known = new Map<string, BackupPlan>()

  constructor(db: Database) {
    this.#db = db
  }

  of(link: Link): BackupPlan {
    const known = this.#known.get(link.id)
    if (known) return known
    const plan = this.#read(link)
    this.#known.set(link.id, plan)
    return plan
  }

  #read({ id, inlineSettings }: Link): BackupPlan {
    const references = this.#db.one(
      q
        .selectFrom('backup_link_references')
        .leftJoin('backup_profiles', 'backup_profiles.id', 'backup_profile_id')
        .select(['destination_config_id', 'selections'])
        .where('feature_link_id', '=', id),
    )
    const { timezone, settings } = withoutTimeZone(inlineSettings ?? {})
    const { selections, destination_config_id: destinationId } = references
    const profile = selections && fromJson(selections)
    const protects = profile ? selectionsOf(profile) : ownSelectionOf(settings)
    const { schedule, retention, bandwidthLimitMbps, notify } = whenAndHow(settings)
    return {
      linkId: id,
      protects: protects.length > 0 ? protects : 'broken_profile',
      destinationId,
      schedule: schedule ?? null,
      timezone,
      retention: retention ?? {},
      bandwidthLimitMbps: bandwidthLimitMbps ?? null,
      notifies: notify?.emails ?? [],
    }
  }
}

/** Time zones come and go: one that is no longer known is passed over, and the schedule stays. */
function withoutTimeZone(settings: Record<string, unknown>): { timezone: unknown; settings: Record<string, unknown> } {
  if (!isObject(settings.schedule)) return { timezone: undefined, settings }
  const { timezone, ...schedule } = settings.schedule
  return { timezone, settings: { ...settings, schedule } }
}

function ownSelectionOf(settings: unknown): BackupSelection[] {
  const own = backupLinkSettings.safeParse(settings)
  return own.success ? [selectionOf(own.data)] : []
}

const whenAndHow = (settings: unknown): ProfileLinkSettings => profileLinkSettings.safeParse(settings).data ?? {}
