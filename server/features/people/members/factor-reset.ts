import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Mailer } from '../../messaging/index.ts'
import { clearFactors } from '../../authentication/factors/factor-changes.ts'
import type { Sessions } from '../../authentication/sessions/sessions.ts'
import { orgIdOf } from '../../access/users/store.ts'
import { belongsElsewhere, isOperator, opensNoMoreThan } from './management-rules.ts'
import type { People } from './people.ts'
import type { Selector } from '../tenants/tenant-of-call.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  mailer: Mailer
  people: People
  sessions: Sessions
}

/**
 * For somebody who lost their factors. No policy stands against it, and no second window opens after it: they enrol
 * another factor at their next sign-in, whether or not a policy asks for one.
 */
export class FactorReset {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  reset(actor: UserActor, id: string, selector: Selector): void {
    if (id === actor.userId) throw new AppError('own_mfa_reset')
    const { db, clock, audit, mailer, people, sessions } = this.#parts
    db.transaction(() => {
      const { user, membership } = people.findToWrite(actor, id, selector)
      // Who looks after one tenant does not disarm those who look after all of them.
      if (user.is_platform_admin && !isOperator(actor)) throw new AppError('platform_admin_required')
      if (!isOperator(actor) && belongsElsewhere(db, actor, id)) throw new AppError('user_of_other_tenant')
      // Without its factors an account is one password away.
      if (!isOperator(actor) && !opensNoMoreThan(db, actor, user)) throw new AppError('user_may_do_more')
      if (!user.mfa_enabled) throw new AppError('mfa_not_enabled')
      const mfaEpoch = user.mfa_epoch + 1
      const now = isoNow(clock)
      const columns = { ...clearFactors(db, id), mfa_epoch: mfaEpoch, mfa_reset_at: now, updated_at: now }
      db.run(q.updateTable('users').set(columns).where('id', '=', id))
      sessions.revokeAll(id, 'mfa-reset')
      audit(actor, {
        action: 'user.mfa_reset',
        resourceType: 'user',
        resourceId: id,
        resourceName: user.email,
        orgId: orgIdOf(membership),
        partnerId: membership.partner_id,
        // Live streams end with their session; nothing else of a user's runs on, so nothing can fail to end.
        details: { method: user.mfa_method, mfaEpoch, teardownFailed: false },
      })
      const data = { name: user.name, news: 'mfa-reset', at: now } as const
      mailer.send({ kind: 'factors-changed', to: user.email, data })
    })
  }
}
