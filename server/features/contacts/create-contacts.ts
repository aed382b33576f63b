import type { FoundContact } from '../../../shared/api/search.ts'
import type { Find } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { bestContacts } from './best-contacts.ts'
import { renewContactOrder } from './contact-order.ts'
import { Contacts } from './contacts.ts'
import { adoptFormerContacts } from './former-contacts.ts'
import { ContactImport } from './import/contact-import.ts'
import { ContactProjections } from './projections.ts'
import { contactRoutes } from './routes.ts'
import { ContactStore } from './store.ts'

export interface ContactServices {
  projections: ContactProjections
  findContacts: Find<FoundContact>
}

/** Contacts of organizations and sites, and their import. */
export function createContacts({ db, clock, log, audit }: Services): Module<ContactServices> {
  const store = new ContactStore(db, clock)
  const projections = new ContactProjections(db, store)
  adoptFormerContacts(db, projections)
  renewContactOrder(db)
  const contacts = new Contacts(db, audit, store)
  const contactImport = new ContactImport({ db, clock, log, audit, store })
  const findContacts: Find<FoundContact> = (actor, text, limit) => bestContacts(db, actor, text, limit)
  return { api: { projections, findContacts }, routes: (http) => contactRoutes(http, contacts, contactImport) }
}
