import type { ImportRow } from '../../../../shared/api/contact-import.ts'

/** What a column of a file may be taken for. */
export const targetWords = {
  name: 'Full name',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  phone: 'Phone',
  mobile: 'Mobile',
  title: 'Job',
  roles: 'Roles',
  organization: 'Organization',
  site: 'Site',
  externalId: 'Contact id',
} as const
export type Target = keyof typeof targetWords
export const targets = Object.keys(targetWords) as Target[]

/** Whose cells a field of a row is made of. */
export const sourcesOf: Partial<Record<keyof ImportRow, Target[]>> = {
  name: ['name', 'firstName', 'lastName'],
  organizationId: ['organization'],
  siteId: ['site'],
}
