import * as importing from '../../../shared/api/contact-import.ts'
import * as contract from '../../../shared/api/contacts.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Contacts } from './contacts.ts'
import type { ContactImport } from './import/contact-import.ts'

export function contactRoutes(http: Http, contacts: Contacts, imports: ContactImport): void {
  http.user(contract.listContacts, ({ actor, params, query }) => contacts.list(actor, params.id, query))
  http.user(contract.createContact, ({ actor, params, body }) => ({ data: contacts.create(actor, params.id, body) }))
  http.user(contract.updateContact, ({ actor, params, body }) => ({
    data: contacts.update(actor, params.contactId, body),
  }))
  http.user(contract.deleteContact, ({ actor, params }) => {
    contacts.remove(actor, params.contactId)
    return { success: true as const }
  })
  http.user(importing.previewContactImport, ({ actor, body }) => imports.preview(actor, body))
  http.user(importing.importContacts, ({ actor, body }) => imports.commit(actor, body))
}
