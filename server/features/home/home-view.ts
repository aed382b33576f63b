import { deviceAttention } from '../../../shared/api/devices.ts'
import { type Expiring, type Home, maxAttentionCount } from '../../../shared/api/home.ts'
import type { UserActor } from '../../platform/actor.ts'
import { day, iso } from '../../platform/clock.ts'
import type { Services } from '../../platform/services.ts'
import { expiringApiKeys } from '../api-keys/index.ts'
import { countProblems } from '../backup-attention/index.ts'
import { unprintedSheets } from '../backup-keys/index.ts'
import type { BackupUsage } from '../backup-usage/index.ts'
import { type DeviceServices, newestFailedCommand } from '../devices/index.ts'
import { expiringEnrollmentKeys } from '../enrollment-keys/index.ts'

export type HomeSources = Pick<DeviceServices, 'devices' | 'list'> & BackupUsage

/** How long before its expiry something is shown. */
const warningMs = 14 * day
const maxExpiring = 5

/** What needs attention now, as far as the actor may know of it. */
export class HomeView {
  readonly #services: Pick<Services, 'db' | 'clock' | 'tls' | 'config'>
  readonly #sources: HomeSources

  constructor(services: Pick<Services, 'db' | 'clock' | 'tls' | 'config'>, sources: HomeSources) {
    this.#services = services
    this.#sources = sources
  }

  /** @throws AppError `org_access_denied` */
  read(actor: UserActor, orgId: string | undefined): Home {
    const { devices, list, forecasts } = this.#sources
    const { db, clock } = this.#services
    const { total, byStatus } = devices.stats(actor, orgId).data
    const attention = deviceAttention.options
      .map((reason) => ({ reason, devices: list.countAttention(actor, reason, orgId, maxAttentionCount) }))
      .filter(({ devices }) => devices > 0)
      .map((need) => ({
        ...need,
        only: need.devices === 1 ? list.firstInNeed(actor, need.reason, orgId) : null,
      }))
    const isOneFailing = attention.some(({ reason, devices }) => reason === 'command_failed' && devices === 1)
    return {
      devices: { total, byStatus },
      attention,
      backups: seesBackups(actor) ? countProblems(db, actor, orgId, maxAttentionCount) : [],
      onlyWaiting: byStatus.quarantined === 1 ? list.firstWith(actor, 'quarantined', orgId) : null,
      failedCommand: isOneFailing ? newestFailedCommand(db, actor, orgId, clock.now()) : null,
      onlyDevice: total === 1 ? devices.firstInService(actor, orgId) : null,
      unprintedSheets: unprintedSheets(db, actor, orgId, maxAttentionCount),
      diskFull: actor.isPlatformAdmin ? forecasts.diskFullSoon() : null,
      expiring: this.#expiring(actor, orgId),
    }
  }

  #expiring(actor: UserActor, orgId: string | undefined): Expiring[] {
    const { db, clock } = this.#services
    const now = clock.now()
    const window = { from: iso(now), until: iso(now + warningMs), orgId, limit: maxExpiring }
    const ofOrganizations = actor.permissions.has('organizations:read')
    const apiKeys = ofOrganizations ? expiringApiKeys(db, actor, window) : []
    const enrollmentKeys = ofOrganizations ? expiringEnrollmentKeys(db, actor, window) : []
    return [
      ...apiKeys.map((key) => expiring('api_key', key)),
      ...enrollmentKeys.map((key) => expiring('enrollment_key', key)),
      ...this.#certificate(actor, window.until),
    ]
      .toSorted((one, other) => one.expiresAt.localeCompare(other.expiresAt))
      .slice(0, maxExpiring)
  }

  /** The appliance renews its own certificate; only one that somebody put there can run out. */
  #certificate(actor: UserActor, until: string): Expiring[] {
    const { tls, config } = this.#services
    const expiresAt = config.tls.mode === 'files' ? tls?.expires().certificate : null
    if (!actor.isPlatformAdmin || !expiresAt || expiresAt > until) return []
    return [{ kind: 'certificate', id: null, name: 'TLS certificate', orgName: null, expiresAt }]
  }
}

/** As of the list of backups. */
const seesBackups = ({ permissions }: UserActor): boolean =>
  permissions.has('organizations:read') || permissions.has('backup:read')

const expiring = (
  kind: 'api_key' | 'enrollment_key',
  key: { id: string; name: string; org_name: string; expires_at: string | null },
): Expiring => ({ kind, id: key.id, name: key.name, orgName: key.org_name, expiresAt: key.expires_at ?? '' })
