import type { Updateable } from 'kysely'
import type { createOrganization, updateOrganization } from '../../../shared/api/organizations.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { toJson } from '../../lib/json.ts'
import { storableSettings } from './settings.ts'
import type { OrganizationTable } from './tables.ts'

type OrganizationInput = Partial<BodyOf<typeof createOrganization>> | BodyOf<typeof updateOrganization>

/**
 * What somebody may write of an organization as its columns. Its status is written by what gives it effect, its
 * billing contact by the contacts.
 */
export const columnsOf = (wanted: OrganizationInput): Updateable<OrganizationTable> => ({
  ...(wanted.name && { name: wanted.name }),
  ...(wanted.slug && { slug: wanted.slug }),
  ...(wanted.type && { type: wanted.type }),
  ...(wanted.maxDevices !== undefined && { max_devices: wanted.maxDevices }),
  ...(wanted.contractStart !== undefined && { contract_start: wanted.contractStart }),
  ...(wanted.contractEnd !== undefined && { contract_end: wanted.contractEnd }),
  ...(wanted.settings !== undefined && { settings: toJson(storableSettings(wanted.settings)) }),
  ...(wanted.ssoConfig !== undefined && { sso_config: jsonOrNull(wanted.ssoConfig) }),
})

const jsonOrNull = (value: Record<string, unknown> | null) => (value === null ? null : toJson(value))
