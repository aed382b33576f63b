import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'

export const logoKinds = ['image/png', 'image/jpeg', 'image/webp'] as const
const dataUri = new RegExp(`^data:(?:${logoKinds.join('|')});base64,[A-Za-z0-9+/]+={0,2}$`)
/** Names a host that means only itself in a content security policy: no star, no semicolon; and no user. */
const originPattern = /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?(?=[/?#]|$)/i
const webAddress = z.url().max(2000).regex(originPattern)

/** Where a logo is loaded from; null for one that is the image itself. */
export const logoOrigin = (logoUrl: string): string | null => originPattern.exec(logoUrl)?.[0].toLowerCase() ?? null

const logo = z
  .string()
  .max(400_000)
  .refine(
    (text) => dataUri.test(text) || webAddress.safeParse(text).success,
    'Give an https address, or a PNG, JPEG or WebP image as a data URI',
  )

const branding = z.object({
  logoUrl: z.string().nullable(),
  accentColor: z.string().nullable(),
  headline: z.string().nullable(),
})
export type LoginBranding = z.infer<typeof branding>

export const readLoginBranding = endpoint({
  name: 'login-branding.read',
  method: 'GET',
  path: '/partners/me/login-branding',
  summary: 'How the own company presents the sign-in page',
  access: userAccess(undefined, { scopes: ['partner', 'system'] }),
  reply: z.object({ data: branding.nullable() }),
})

export const replaceLoginBranding = endpoint({
  name: 'login-branding.replace',
  method: 'PUT',
  path: '/partners/me/login-branding',
  summary: 'Replace the presentation of the sign-in page; what is left out is cleared',
  access: userAccess(undefined, { scopes: ['partner', 'system'] }),
  body: z.object({
    logoUrl: logo.nullable().optional(),
    accentColor: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Enter the color as #1a2b3c')
      .nullable()
      .optional(),
    headline: z
      .string()
      .trim()
      .max(120)
      .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
      .nullable()
      .optional(),
  }),
  reply: z.object({ data: branding }),
  audit: 'partner.login_branding.update',
})

export const loginContext = endpoint({
  name: 'auth.login-context',
  method: 'GET',
  path: '/auth/login-context',
  summary: 'What the sign-in page shows of the one company of this appliance; nulls when there are several',
  access: publicAccess,
  reply: z.object({
    branding: branding.nullable(),
    partnerSso: z.object({ providerName: z.string(), loginUrl: z.string(), enforceSSO: z.boolean() }).nullable(),
  }),
})
