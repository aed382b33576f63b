export const contactsErrors = {
  'invalid-role': { status: 400, error: 'There is no such role' },
  'site-not-in-org': { status: 400, error: 'The site does not belong to this organization' },
  'no-identifier': { status: 400, error: 'A contact needs a name, an email address or a phone number' },
  partner_required_to_import_contacts: { status: 400, error: 'Partner context required to import contacts' },
  contact_not_found: { status: 404, error: 'Contact not found' },
} as const
