import type { Updateable } from 'kysely'
import type { SecuritySettings } from '../../../shared/api/partners.ts'
import { isObject } from '../../../shared/objects.ts'
import type { Database } from '../../db/database.ts'
import { fromJson, type JsonText, toJson } from '../../lib/json.ts'
import type { Origin } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { saveOrganizationOrder } from './organization-order.ts'
import { type AssertNobodyLockedOut, storableSecurity } from './security.ts'
import { serviceManagementColumns } from './service-management.ts'
import { type Json, mergeSettings } from './settings.ts'
import type { PartnerTable } from './tables.ts'

export interface AllowlistRules {
  /** The environment names trusted proxies, without which no address can be vouched for. */
  isProxyConfigured: boolean
  isAllowlistEnforced: boolean
}

type SentSettings = Json & { timezone?: string; security?: SecuritySettings; organizationOrder?: string[] }

/** What both a partner itself and the administrators of the platform may change. */
interface PartnerInput {
  name?: string
  billingEmail?: string | null
  settings?: SentSettings
  serviceManagementMode?: 'native' | 'external' | 'off'
  serviceManagementPsaConnectionId?: string | null
}

interface Before {
  id: string
  settings: JsonText<Json>
}

/** What a change of a partner comes to, and whether it may be made: by whatever way it comes, the rules are these. */
export class PartnerChanges {
  readonly #db: Database
  readonly #rules: AllowlistRules
  readonly #assertNobodyLockedOut: AssertNobodyLockedOut

  constructor(db: Database, rules: AllowlistRules, assertNobodyLockedOut: AssertNobodyLockedOut) {
    this.#db = db
    this.#rules = rules
    this.#assertNobodyLockedOut = assertNobodyLockedOut
  }

  /**
   * The columns to write, inside the transaction that read `before` and writes them: of two people who save at once,
   * neither undoes what the other settled. The order of the organizations is saved at once.
   */
  columns(before: Before, wanted: PartnerInput, origin: Origin): Updateable<PartnerTable> {
    const { name, billingEmail, settings } = wanted
    const columns = {
      ...(name && { name }),
      ...(billingEmail !== undefined && { billing_email: billingEmail }),
      ...serviceManagementColumns(this.#db, before.id, wanted),
      ...(settings && this.settings(before, settings, origin)),
    }
    if (settings?.organizationOrder) saveOrganizationOrder(this.#db, before.id, settings.organizationOrder)
    return columns
  }

  settings(before: Before, { organizationOrder: _, security, ...sent }: SentSettings, origin: Origin) {
    const stored = fromJson(before.settings)
    const merged = mergeSettings(stored, { ...sent, ...(security && { security: storableSecurity(security) }) })
    const settings = toJson(merged)
    if (!hasEntries(stored) && hasEntries(merged) && !this.canTrust(origin)) throw new AppError('proxy_trust_required')
    if (security) this.#assertNobodyLockedOut({ partnerId: before.id, orgId: null }, settings)
    return { settings, ...(sent.timezone && { timezone: sent.timezone }) }
  }

  /** A list is only worth something where the address of the caller is known for certain. */
  canTrust(origin: Origin): boolean {
    return this.#rules.isProxyConfigured && origin.isVouchedFor
  }

  isEnforced({ settings }: Before): boolean {
    return this.#rules.isAllowlistEnforced && hasEntries(fromJson(settings))
  }
}

function hasEntries({ security }: Json): boolean {
  const list = isObject(security) ? security.ipAllowlist : undefined
  return Array.isArray(list) && list.length > 0
}
