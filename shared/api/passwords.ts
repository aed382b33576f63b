import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { emailAddress, newPassword } from '../fields.ts'

const linkToken = z.string().min(1).max(200)
const done = z.object({ success: z.literal(true), message: z.string() })

export const forgotPassword = endpoint({
  name: 'auth.forgot-password',
  method: 'POST',
  path: '/auth/forgot-password',
  summary: 'Request a reset link; the answer is the same for every address',
  access: publicAccess,
  body: z.object({ email: emailAddress }),
  reply: done,
})

export const checkResetLink = endpoint({
  name: 'auth.check-reset-link',
  method: 'POST',
  path: '/auth/reset-password/check',
  summary: 'Whether a reset link still works, and for whom; it is not used up',
  access: publicAccess,
  body: z.object({ token: linkToken }),
  // `about`: what others know of the owner, and so no part of a good password.
  reply: z.object({ email: z.string(), about: z.array(z.string()) }),
})

export const resetPassword = endpoint({
  name: 'auth.reset-password',
  method: 'POST',
  path: '/auth/reset-password',
  summary: 'Set a password with the token of a reset link; every session ends',
  access: publicAccess,
  body: z.object({ token: linkToken, password: newPassword }),
  reply: done,
  audit: 'user.password.reset',
})

export const checkUnlockLink = endpoint({
  name: 'auth.check-unlock-link',
  method: 'POST',
  path: '/auth/unlock/check',
  summary: 'Whether the link of a mail about a locked account still unlocks it; it is not used up',
  access: publicAccess,
  body: z.object({ token: linkToken }),
  reply: z.object({ email: z.string() }),
})

export const unlockAccount = endpoint({
  name: 'auth.unlock',
  method: 'POST',
  path: '/auth/unlock',
  summary: 'Unlock an account with the token of a mail; it is for this browser to sign in from then on',
  access: publicAccess,
  body: z.object({ token: linkToken }),
  reply: done,
  audit: 'user.unlocked',
})

export const changePassword = endpoint({
  name: 'auth.change-password',
  method: 'POST',
  path: '/auth/change-password',
  summary: 'Set another password; every session ends, this one too',
  access: userAccess(undefined, { evenIf: ['partner-inactive'] }),
  // The current password is judged before the new one, so its rules are not the contract's.
  body: z.object({ currentPassword: z.string().min(1).max(1024), newPassword: z.string().max(1024) }),
  reply: done,
  audit: 'user.password.change',
})
