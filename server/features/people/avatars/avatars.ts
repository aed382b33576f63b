import type { z } from 'zod'
import type { uploadAvatar } from '../../../../shared/api/avatars.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { reachesOrg, type UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { aboutOwner, assertUnchanged, ownerOf } from '../../authentication/sessions/account-owner.ts'
import { placesOf } from '../../access/memberships/details.ts'
import { pictureMime, squarePicture } from './picture.ts'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
}

export interface Avatar {
  mime: string
  data: Buffer
  /** Weak: the same picture, whatever a proxy makes of its bytes. */
  etag: string
}

const urlOf = (userId: string) => `/api/v1/users/${userId}/avatar`

/** The pictures people have of themselves. */
export class Avatars {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Counts before the file is read: reading costs, too. */
  assertMayUpload({ userId }: UserActor): void {
    this.#parts.limits.consume('avatar_upload', userId)
  }

  async set(actor: UserActor, file: Buffer): Promise<z.output<typeof uploadAvatar.reply>> {
    const { db, clock } = this.#parts
    const user = ownerOf(db, actor)
    const data = await squarePicture(file)
    const updatedAt = isoNow(clock)
    const columns = { mime: pictureMime, data, updated_at: updatedAt }
    const avatarUrl = urlOf(actor.userId)
    db.transaction(() => {
      assertUnchanged(db, actor, user)
      db.run(
        q
          .insertInto('user_avatars')
          .values({ user_id: actor.userId, ...columns })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns)),
      )
      this.#point(actor, avatarUrl)
    })
    return { avatarUrl, size: data.length, mime: pictureMime, updatedAt }
  }

  remove(actor: UserActor): void {
    const { db } = this.#parts
    db.transaction(() => {
      const removed = db.run(q.deleteFrom('user_avatars').where('user_id', '=', actor.userId))
      if (removed > 0) this.#point(actor, null)
    })
  }

  #point(actor: UserActor, avatarUrl: string | null): void {
    const { db, clock, audit } = this.#parts
    const changed = { avatar_url: avatarUrl, updated_at: isoNow(clock) }
    db.run(q.updateTable('users').set(changed).where('id', '=', actor.userId))
    for (const action of ['user.profile.update', avatarUrl ? 'user.avatar.upload' : 'user.avatar.delete'])
      audit(actor, { ...aboutOwner(actor), action, details: { changedFields: ['avatarUrl'] } })
  }

  /** 404 for whoever has none, and for whoever is not to be seen. */
  read(actor: UserActor, userId: string): Avatar {
    const { db } = this.#parts
    const avatar = db.first(q.selectFrom('user_avatars').selectAll().where('user_id', '=', userId))
    if (!avatar || !this.#isSeen(actor, userId)) throw new AppError('avatar_not_found')
    const { mime, data, updated_at } = avatar
    return { mime, data, etag: `W/"${Date.parse(updated_at).toString(36)}"` }
  }

  #isSeen(actor: UserActor, userId: string): boolean {
    if (actor.scope === 'system') return true
    return placesOf(this.#parts.db, userId).some(({ partnerId, orgId }) =>
      orgId === null ? actor.scope === 'partner' && partnerId === actor.partnerId : reachesOrg(actor, orgId),
    )
  }
}
