import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Contact } from '../../../shared/api/contacts.ts'
import { contactsQuery } from '../../data/contacts.ts'
import { OrganizationTabLink } from '../../domain/organizations/organization-tab-link.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { contactName } from './contact-table.tsx'

/** The primary and the billing contact. */
export function ContactsSummary({ orgId }: { orgId: string }) {
  const contacts = useQuery(contactsQuery(orgId, { siteId: 'none', page: 1, limit: 100 }))
  return (
    <Panel title="Contacts" actions={<OrganizationTabLink tab="contacts">All contacts</OrganizationTabLink>}>
      <Listed of={contacts} lines={2} empty="Nobody yet for the whole organization.">
        {({ data }) => <First contacts={data} />}
      </Listed>
    </Panel>
  )
}

function First({ contacts }: { contacts: Contact[] }) {
  const primary = contacts.find(({ isPrimary }) => isPrimary)
  const billing = contacts.filter(({ roles }) => roles.includes('billing'))
  const first = billing.find(({ isPrimary }) => isPrimary) ?? billing[0]
  return (
    <Facts>
      <Fact name="Primary">{primary && <Who contact={primary} />}</Fact>
      <Fact name="Billing">{first && <Who contact={first} />}</Fact>
    </Facts>
  )
}

function Who({ contact }: { contact: Contact }) {
  const ways = [contact.email, contact.phone ?? contact.mobile].filter((way) => way && way !== contactName(contact))
  return (
    <>
      {contactName(contact)}
      {ways.length > 0 && (
        <Text size="xs" c="dimmed" component="span" display="block">
          {ways.join(' · ')}
        </Text>
      )}
    </>
  )
}
