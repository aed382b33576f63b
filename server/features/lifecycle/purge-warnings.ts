import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, iso, isoNow, second } from '../../platform/clock.ts'
import type { Mailer } from '../messaging/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'

interface PurgeWarningServices {
  db: Database
  clock: Clock
  audit: Audit
  mailer: Mailer
}

/** The nearer one first: once it is due, the other is not sent any more. */
const warnings = [
  { days: 1, marker: 'purge_warn_1_sent_at' },
  { days: 14, marker: 'purge_warn_14_sent_at' },
] as const
const actor = systemActor('tenants.warn-of-purge')

/** Mail to the administrators of a partner before one of its archived organizations is purged. */
export class PurgeWarnings {
  readonly #services: PurgeWarningServices

  constructor(services: PurgeWarningServices) {
    this.#services = services
  }

  /** Archived organizations whose end is near and that nobody was told of yet. */
  due(): OrganizationRow[] {
    const { db, clock } = this.#services
    const archived = q
      .selectFrom('organizations')
      .selectAll()
      .where('status', '=', 'archived')
      .where('deleted_at', 'is', null)
      .where('purge_at', '>', isoNow(clock))
      .where('purge_at', '<=', iso(clock.now() + 14 * day))
    return db.all(archived).filter((org) => this.#warningFor(org) !== undefined)
  }

  /** The mark and the mails in the queue are one transaction, so that each warning goes out once. */
  send({ id }: OrganizationRow): void {
    const { db, clock, mailer, audit } = this.#services
    db.transaction(() => {
      const org = db.first(q.selectFrom('organizations').selectAll().where('id', '=', id))
      const days = org?.status === 'archived' && this.#warningFor(org)
      if (!org?.purge_at || !days) return
      const sent = Object.fromEntries(
        warnings.filter((one) => one.days >= days).map(({ marker }) => [marker, isoNow(clock)]),
      )
      db.run(q.updateTable('organizations').set(sent).where('id', '=', id))
      const recipients = this.#administratorsOf(org)
      const lifeSeconds = Math.ceil((Date.parse(org.purge_at) - clock.now()) / second)
      for (const { name, email } of recipients)
        mailer.send({
          kind: 'purge-warning',
          to: email,
          data: { name, orgId: id, orgName: org.name, purgeAt: org.purge_at },
          lifeSeconds,
        })
      audit(actor, {
        action: 'org.archive.purge_warning_sent',
        resourceType: 'organization',
        resourceId: id,
        resourceName: org.name,
        partnerId: org.partner_id,
        details: {
          orgId: id,
          orgName: org.name,
          partnerId: org.partner_id,
          purgeAt: org.purge_at,
          daysBefore: days,
          recipients: recipients.length,
        },
      })
    })
  }

  /** It was restored: mail that waits for its mail server says what is no longer so. */
  withdraw(orgId: string): void {
    this.#services.mailer.withdraw('purge-warning', 'orgId', orgId)
  }

  /** The warning that is due and was not sent, in days before the purge. */
  #warningFor(org: OrganizationRow): number | undefined {
    const leftMs = Date.parse(org.purge_at ?? '') - this.#services.clock.now()
    if (!(leftMs > 0)) return undefined
    const nearest = warnings.find(({ days }) => leftMs <= days * day)
    return nearest && org[nearest.marker] === null ? nearest.days : undefined
  }

  /** Those who may restore it; others of the partner do not see this organization. */
  #administratorsOf({ id, partner_id }: OrganizationRow): { name: string; email: string }[] {
    return this.#services.db.all(
      q
        .selectFrom('partner_users')
        .innerJoin('users', 'users.id', 'partner_users.user_id')
        .innerJoin('roles', 'roles.id', 'partner_users.role_id')
        .select(['users.name', 'users.email'])
        .where('partner_users.partner_id', '=', partner_id)
        .where('users.status', '=', 'active')
        .where('roles.name', '=', 'Partner Admin')
        .where('roles.is_system', '=', 1)
        .where(({ or, eb }) =>
          or([
            eb('partner_users.org_access', '=', 'all'),
            sql<boolean>`partner_users.org_access = 'selected' and ${id} in (select value from json_each(org_ids))`,
          ]),
        )
        .orderBy('users.email'),
    )
  }
}
