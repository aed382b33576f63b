import type { z } from 'zod'
import type { uploadAvatar } from '../../../../shared/api/avatars.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { membershipDetailsOf, updateUser } from '../../access/index.ts'
import { aboutOwnAccount, assertSessionUnchanged, signedInUser } from '../../authentication/index.ts'
import { pictureMime, squarePicture } from './picture.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
}

export interface Avatar {
  mime: string
  data: Buffer
  /** A weak validator, because a proxy may compress the picture. */
  etag: string
}

const urlOf = (userId: string) => `/api/v1/users/${userId}/avatar`

/** The profile pictures of users. */
export class Avatars {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Call it before the file is read.
   * @throws AppError `rate_limited`
   */
  assertMayUpload({ userId }: UserActor): void {
    this.#dependencies.limits.consume('avatar_upload', userId)
  }

  async set(actor: UserActor, file: Buffer): Promise<z.output<typeof uploadAvatar.reply>> {
    const { db, clock } = this.#dependencies
    const user = signedInUser(db, actor)
    const data = await squarePicture(file)
    const updatedAt = isoNow(clock)
    const columns = { mime: pictureMime, data, updated_at: updatedAt }
    const avatarUrl = urlOf(actor.userId)
    db.transaction(() => {
      assertSessionUnchanged(db, actor, user)
      db.run(
        q
          .insertInto('user_avatars')
          .values({ user_id: actor.userId, ...columns })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns)),
      )
      this.#saveUrl(actor, avatarUrl)
    })
    return { avatarUrl, size: data.length, mime: pictureMime, updatedAt }
  }

  remove(actor: UserActor): void {
    const { db } = this.#dependencies
    db.transaction(() => {
      const removed = db.run(q.deleteFrom('user_avatars').where('user_id', '=', actor.userId))
      if (removed > 0) this.#saveUrl(actor, null)
    })
  }

  #saveUrl(actor: UserActor, avatarUrl: string | null): void {
    const { db, clock, audit } = this.#dependencies
    const changed = { avatar_url: avatarUrl, updated_at: isoNow(clock) }
    updateUser(db, actor.userId, changed)
    for (const action of ['user.profile.update', avatarUrl ? 'user.avatar.upload' : 'user.avatar.delete'] as const)
      audit(actor, { ...aboutOwnAccount(actor), action, details: { changedFields: ['avatarUrl'] } })
  }

  /** @throws AppError `avatar_not_found`, also for a user whom the caller may not see */
  read(actor: UserActor, userId: string): Avatar {
    const { db } = this.#dependencies
    const avatar = db.first(q.selectFrom('user_avatars').selectAll().where('user_id', '=', userId))
    if (!avatar || !this.#isVisible(actor, userId)) throw new AppError('avatar_not_found')
    const { mime, data, updated_at } = avatar
    return { mime, data, etag: `W/"${Date.parse(updated_at).toString(36)}"` }
  }

  #isVisible(actor: UserActor, userId: string): boolean {
    if (actor.scope === 'system') return true
    return membershipDetailsOf(this.#dependencies.db, userId).some(({ partnerId, orgId }) =>
      orgId === null ? actor.scope === 'partner' && partnerId === actor.partnerId : reachesOrg(actor, orgId),
    )
  }
}
