import type { Organization } from '../../../shared/api/organizations.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { shownSettings } from './settings.ts'

type Json = Record<string, unknown>
const parseJson = (text: JsonText<Json> | null): Json | null =>
  text === null ? null : text === '{}' ? {} : fromJson(text)

const secretKeys = ['clientSecret', 'client_secret', 'privateKey']

export const organizationView = (row: OrganizationRow): Organization & { deviceCount: number } => ({
  id: row.id,
  partnerId: row.partner_id,
  name: row.name,
  slug: row.slug,
  type: row.type,
  status: row.status,
  maxDevices: row.max_devices,
  settings: shownSettings(parseJson(row.settings) ?? {}),
  ssoConfig: withoutSecrets(parseJson(row.sso_config)),
  contractStart: row.contract_start,
  contractEnd: row.contract_end,
  billingContact: parseJson(row.billing_contact),
  currencyCode: row.currency_code,
  offboardingStartedAt: row.offboarding_started_at,
  offboardingTarget: row.offboarding_target,
  archivedAt: row.archived_at,
  purgeAt: row.purge_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
  deviceCount: row.device_count,
  ...(isPutAway(row) && { archived: true }),
})

const isPutAway = ({ status, offboarding_target }: OrganizationRow) =>
  status === 'archived' || (status === 'offboarding' && offboarding_target === 'archive')

function withoutSecrets(config: Json | null): Json | null {
  return config && Object.fromEntries(Object.entries(config).filter(([key]) => !secretKeys.includes(key)))
}
