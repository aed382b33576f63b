import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId } from '../fields.ts'

const own = userAccess(undefined, { evenIf: ['partner-inactive'] })

/** Bytes. */
export const maxAvatarFile = 5 * 1024 * 1024
/** By their content; what a file calls itself says nothing. */
export const avatarKinds = ['image/png', 'image/jpeg', 'image/webp'] as const

export const uploadAvatar = endpoint({
  name: 'users.upload-avatar',
  method: 'POST',
  path: '/users/me/avatar',
  summary: 'Set the own picture; it is cropped to a square, scaled down and stripped of metadata',
  access: own,
  fileLimit: maxAvatarFile,
  reply: z.object({
    avatarUrl: z.string(),
    /** Of the picture as it is kept, in bytes. */
    size: z.int(),
    mime: z.string(),
    updatedAt: instant,
  }),
  audit: 'user.avatar.upload',
})

export const removeAvatar = endpoint({
  name: 'users.remove-avatar',
  method: 'DELETE',
  path: '/users/me/avatar',
  summary: 'Remove the own picture',
  access: own,
  reply: z.object({ avatarUrl: z.null() }),
  audit: 'user.avatar.delete',
})

export const readAvatar = endpoint({
  name: 'users.avatar',
  method: 'GET',
  path: '/users/:id/avatar',
  summary: 'The picture of the caller or of a person in the same tenant',
  access: userAccess(),
  params: z.object({ id: pathId }),
  reply: z.custom<Uint8Array>(),
  content: 'image/webp',
})
