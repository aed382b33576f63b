import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { renewContactOrder } from './contact-order.ts'
import { Contacts } from './contacts.ts'
import { adoptFormerContacts } from './former-contacts.ts'
import { ContactImport } from './import/contact-import.ts'
import { ContactProjections } from './projections.ts'
import { contactRoutes } from './routes.ts'
import { ContactStore } from './store.ts'

/** Contacts of organizations and sites, and their import. */
export function createContacts({ db, clock, log, audit }: Services): Module<{ projections: ContactProjections }> {
  const store = new ContactStore(db, clock)
  const projections = new ContactProjections(db, store)
  adoptFormerContacts(db, projections)
  renewContactOrder(db)
  const contacts = new Contacts(db, audit, store)
  const contactImport = new ContactImport({ db, clock, log, audit, store })
  return { api: { projections }, routes: (http) => contactRoutes(http, contacts, contactImport) }
}
