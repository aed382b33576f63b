import { authMe } from '../../../../shared/api/auth.ts'
import { updateMe, usersMe, withdrawEmail } from '../../../../shared/api/profile.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { Profile } from './profile.ts'
import type { ProfileChanges } from './profile-changes.ts'

interface Services {
  profile: Profile
  profileChanges: ProfileChanges
}

export function profileRoutes(http: Http, { profile, profileChanges }: Services): void {
  http.user(authMe, ({ actor }) => profile.account(actor))
  http.user(usersMe, ({ actor }) => profile.me(actor))
  http.user(updateMe, async ({ actor, body }) => {
    const verificationSent = await profileChanges.update(actor, body)
    return { ...profile.saved(actor), verificationSent }
  })
  http.user(withdrawEmail, ({ actor }) => {
    profileChanges.withdrawEmail(actor)
    return { success: true as const }
  })
}
