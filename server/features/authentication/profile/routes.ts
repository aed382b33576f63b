import { authMe } from '../../../../shared/api/auth.ts'
import { readAvatar, removeAvatar, uploadAvatar } from '../../../../shared/api/avatars.ts'
import { updateMe, usersMe, withdrawEmail } from '../../../../shared/api/profile.ts'
import type { Http } from '../../../platform/http/http.ts'
import { uploadedFile } from '../../../platform/http/upload.ts'
import type { IdentityServices } from '../../people/services.ts'

export function accountRoutes(http: Http, { profile, profileChanges }: IdentityServices): void {
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

/** Should a browser ever take a picture for a page, it is one that can do nothing. */
const pictureOnly = "default-src 'none'; sandbox"

export function avatarRoutes(http: Http, { avatars }: IdentityServices): void {
  http.user(uploadAvatar, async ({ actor, request }) => {
    avatars.assertMayUpload(actor)
    return avatars.set(actor, await uploadedFile(request))
  })
  http.user(removeAvatar, ({ actor }) => {
    avatars.remove(actor)
    return { avatarUrl: null }
  })
  http.user(readAvatar, ({ actor, params, request, reply }) => {
    const { mime, data, etag } = avatars.read(actor, params.id)
    reply.headers({
      etag,
      'cache-control': 'private, max-age=300',
      // The next one to sign in at the same browser may not be one who sees it.
      vary: 'authorization',
      'x-content-type-options': 'nosniff',
      'content-security-policy': pictureOnly,
    })
    if (request.headers['if-none-match'] === etag) {
      reply.code(304)
      return new Uint8Array()
    }
    reply.type(mime)
    return data
  })
}
