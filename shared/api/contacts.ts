import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, ok, pathId, textOfLines, uuid } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'

export const contactRole = z.enum(['billing', 'technical', 'escalation', 'admin', 'site', 'portal', 'after_hours'])
export type ContactRole = z.infer<typeof contactRole>

export const contact = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  siteId: z.uuid().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  mobile: z.string().nullable(),
  title: z.string().nullable(),
  roles: z.array(contactRole),
  isPrimary: z.boolean(),
  notes: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type Contact = z.infer<typeof contact>

const blankIsNull = (text: string | null | undefined) => (text === '' ? null : text)
const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
    .nullish()
    .transform(blankIsNull)

/** Null and blank clear, left out keeps. */
export const contactWays = {
  name: line(255),
  email: z
    .string()
    .trim()
    .toLowerCase()
    .max(320)
    .pipe(z.union([z.literal(''), z.email()]))
    .nullish()
    .transform(blankIsNull),
  phone: line(64),
}
const contactFields = {
  ...contactWays,
  mobile: line(64),
  title: line(255),
  notes: textOfLines(5000).nullish().transform(blankIsNull),
  siteId: uuid.nullable().optional(),
  /** Words of the vocabulary; another one is refused as `invalid-role`. */
  roles: z.array(z.string().max(64)).max(100).nullable().optional(),
  isPrimary: z.boolean().optional(),
}

const orgParams = z.object({ id: pathId })
const contactParams = z.object({ contactId: pathId })
const write = userAccess('organizations:write', { mfa: 'strict' })

export const listContacts = endpoint({
  name: 'contacts.list',
  method: 'GET',
  path: '/orgs/organizations/:id/contacts',
  summary: 'Contacts of an organization by name; of one site, or of the organization itself, when asked',
  access: userAccess('organizations:read'),
  params: orgParams,
  query: z.object({
    ...pageQuery,
    siteId: z.union([z.literal('none'), uuid]).optional(),
    role: contactRole.optional(),
  }),
  reply: paged(contact),
})

export const createContact = endpoint({
  name: 'contacts.create',
  method: 'POST',
  path: '/orgs/organizations/:id/contacts',
  summary: 'Create a contact',
  access: write,
  params: orgParams,
  body: z.object(contactFields),
  status: 201,
  reply: z.object({ data: contact }),
  audit: 'contact.create',
})

export const updateContact = endpoint({
  name: 'contacts.update',
  method: 'PATCH',
  path: '/orgs/contacts/:contactId',
  summary: 'Change a contact; null clears',
  access: write,
  params: contactParams,
  body: z.object(contactFields),
  reply: z.object({ data: contact }),
  audit: 'contact.update',
})

export const deleteContact = endpoint({
  name: 'contacts.delete',
  method: 'DELETE',
  path: '/orgs/contacts/:contactId',
  summary: 'Delete a contact',
  access: write,
  params: contactParams,
  reply: ok,
  audit: 'contact.delete',
})
