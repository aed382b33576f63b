export { createContacts } from './create-contacts.ts'
export type { ContactProjections } from './projections.ts'
