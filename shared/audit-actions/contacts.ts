export const contactsActions = {
  'contact.create': 'Added a contact',
  'contact.update': 'Changed a contact',
  'contact.delete': 'Deleted a contact',
} as const
