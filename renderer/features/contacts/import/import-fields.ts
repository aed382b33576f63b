import type { ImportRow } from '../../../../shared/api/contact-import.ts'

/** Types that a column can have. */
export const targetNames = {
  name: 'Full name',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
  mobile: 'Mobile',
  title: 'Job title',
  notes: 'Notes',
  roles: 'Roles',
  organization: 'Organization',
  site: 'Site',
  externalId: 'Contact ID',
} as const
export type Target = keyof typeof targetNames
export const targets = Object.keys(targetNames) as Target[]

/** The column types that a field is made of. */
export const sourcesOf: Partial<Record<keyof ImportRow, Target[]>> = {
  name: ['name', 'firstName', 'lastName'],
  organizationId: ['organization'],
  siteId: ['site'],
}
