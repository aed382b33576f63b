import type { Refusals } from './refusals.ts'

export const contactsErrors = {
  'invalid-role': { status: 400, error: 'There is no such role', onScreen: null },
  'site-not-in-org': { status: 400, error: 'The site does not belong to this organization', onScreen: null },
  'no-identifier': { status: 400, error: 'A contact needs a name, an email address or a phone number', onScreen: null },
  partner_required_to_import_contacts: {
    status: 400,
    error: 'Partner context required to import contacts',
    onScreen: null,
  },
  contact_not_found: { status: 404, error: 'Contact not found', onScreen: null },
} as const satisfies Refusals
