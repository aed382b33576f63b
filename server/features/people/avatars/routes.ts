import { readAvatar, removeAvatar, uploadAvatar } from '../../../../shared/api/avatars.ts'
import type { Http } from '../../../platform/http/http.ts'
import { uploadedFile } from '../../../platform/http/upload.ts'
import type { Avatars } from './avatars.ts'

/** A browser that renders the file as a page runs nothing in it. */
const pictureOnly = "default-src 'none'; sandbox"

export function avatarRoutes(http: Http, avatars: Avatars): void {
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
      // The next user to sign in from the same browser may not be allowed to see it.
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
