import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { isOperator, orgIdOf, updateUser } from '../../access/index.ts'
import { clearFactors, type Sessions } from '../../authentication/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { Selector } from '../tenants/tenant-of-call.ts'
import { belongsToOtherTenants, isWithinCallerPowers } from './management-rules.ts'
import type { People } from './people.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  mailer: Mailer
  people: People
  sessions: Sessions
}

/**
 * Removes the factors of a user who lost them. Policies do not prevent it, and no new enrollment window opens: the user
 * enrolls another factor at the next sign-in, whether or not a policy requires one.
 */
export class FactorReset {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  reset(actor: UserActor, id: string, selector: Selector): void {
    if (id === actor.userId) throw new AppError('own_mfa_reset')
    const { db, clock, audit, mailer, people, sessions } = this.#dependencies
    db.transaction(() => {
      const { user, membership } = people.findToWrite(actor, id, selector)
      // The administrator of one tenant must not weaken the account of a platform admin.
      if (user.is_platform_admin && !isOperator(actor)) throw new AppError('platform_admin_required')
      if (!isOperator(actor) && belongsToOtherTenants(db, actor, id)) throw new AppError('user_of_other_tenant')
      // Without factors, the account is protected by its password only.
      if (!isOperator(actor) && !isWithinCallerPowers(db, actor, user)) throw new AppError('user_may_do_more')
      if (!user.mfa_enabled) throw new AppError('mfa_not_enabled')
      const mfaEpoch = user.mfa_epoch + 1
      const now = isoNow(clock)
      const columns = { ...clearFactors(db, id), mfa_epoch: mfaEpoch, mfa_reset_at: now, updated_at: now }
      updateUser(db, id, columns)
      sessions.revokeAll(id, 'mfa-reset')
      audit(actor, {
        action: 'user.mfa_reset',
        resourceType: 'user',
        resourceId: id,
        resourceName: user.email,
        orgId: orgIdOf(membership),
        partnerId: membership.partner_id,
        // Clients expect the field. Live streams end with their session, so there is nothing that could fail to end.
        details: { method: user.mfa_method, mfaEpoch, teardownFailed: false },
      })
      const data = { name: user.name, news: 'mfa-reset', at: now } as const
      mailer.send({ kind: 'factors-changed', to: user.email, data })
    })
  }
}
