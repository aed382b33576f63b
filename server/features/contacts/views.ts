import type { Selectable } from 'kysely'
import type { Contact, ContactRole } from '../../../shared/api/contacts.ts'
import { fromJson } from '../../lib/json.ts'
import type { AuditEvent } from '../../platform/audit.ts'
import type { ContactTable } from './tables.ts'

export type ContactRow = Selectable<ContactTable>

export const rolesOf = (row: Pick<ContactRow, 'roles'>): ContactRole[] => fromJson(row.roles)

export const contactView = (row: ContactRow): Contact => ({
  id: row.id,
  orgId: row.org_id,
  siteId: row.site_id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  mobile: row.mobile,
  title: row.title,
  roles: rolesOf(row),
  isPrimary: row.is_primary === 1,
  notes: row.notes,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const contactEvent = (
  action: 'contact.create' | 'contact.update' | 'contact.delete',
  row: ContactRow,
  partnerId: string,
  details: Record<string, unknown> = {},
): AuditEvent => ({
  action,
  resourceType: 'contact',
  resourceId: row.id,
  resourceName: row.name ?? row.email ?? row.phone ?? row.mobile,
  orgId: row.org_id,
  partnerId,
  details,
})
