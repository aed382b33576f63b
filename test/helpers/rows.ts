import type { Updateable } from 'kysely'
import { q } from '../../server/db/query.ts'
import type { DeviceTable } from '../../server/features/devices/tables.ts'
import type { OrganizationTable } from '../../server/features/organizations/tables.ts'
import type { PartnerTable } from '../../server/features/partners/tables.ts'
import type { TestApp } from './test-app.ts'

/** Straight into the tables: states that no endpoint leads to yet. */

export const setDevice = (app: TestApp, id: string, values: Updateable<DeviceTable>) =>
  app.db.run(q.updateTable('devices').set(values).where('id', '=', id))

export const setOrganization = (app: TestApp, id: string, values: Updateable<OrganizationTable>) =>
  app.db.run(q.updateTable('organizations').set(values).where('id', '=', id))

export const setPartner = (app: TestApp, id: string, values: Updateable<PartnerTable>) =>
  app.db.run(q.updateTable('partners').set(values).where('id', '=', id))

export const makePlatformAdmins = (app: TestApp, ...ids: string[]) =>
  app.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', 'in', ids))

export const deviceRowOf = (app: TestApp, id: string) =>
  app.db.first(q.selectFrom('devices').selectAll().where('id', '=', id))

/** Audit events of one action, oldest first, with their details parsed. */
export const auditOf = (app: TestApp, action: string) =>
  app.db
    .all(q.selectFrom('audit_logs').selectAll().where('action', '=', action).orderBy('seq'))
    .map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }))
