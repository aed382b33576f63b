import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { looksLikeEmail } from '../../lib/looks-like-email.ts'
import { countries } from './countries.ts'
import { settingOf } from './settings.ts'
import { SettingsFormPanel } from './settings-form-panel.tsx'
import { useSettingsForm } from './use-settings-form.ts'
import { isWebAddress, webAddressFrom } from './web-address.ts'

function valuesOf(partner: Partner) {
  const { name = '', email = '', phone = '', website = '' } = settingOf(partner, 'contact') ?? {}
  const address = settingOf(partner, 'address') ?? {}
  const { street1 = '', street2 = '', city = '', region = '', postalCode = '', country = '' } = address
  return {
    contact: { name, email, phone, website },
    address: { street1, street2, city, region, postalCode, country: country.toUpperCase() },
  }
}

export function ContactPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const panel = useSettingsForm({
    partner,
    valuesOf,
    validate: {
      contact: {
        email: (email) => (!email.trim() || looksLikeEmail(email) ? null : 'Enter an email address'),
        website: (website) =>
          !website.trim() || isWebAddress(website.trim())
            ? null
            : 'Enter the full address, for example https://example.com',
      },
    },
    changeOf: (settings) => ({ settings: trimmed(settings) }),
    done: 'Contact saved',
  })
  const { form } = panel
  const countryOptions = useMemo(countries, [])
  const field = (path: string, maxLength: number) => ({
    maxLength,
    readOnly: !isEditable,
    ...form.getInputProps(path),
  })
  return (
    <SettingsFormPanel title="Contact and address" form={panel} isEditable={isEditable}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Contact person" {...field('contact.name', 255)} />
        <TextInput label="Email" type="email" {...field('contact.email', 255)} />
        <TextInput label="Phone" type="tel" {...field('contact.phone', 64)} />
        <TextInput
          label="Website"
          type="url"
          placeholder={isEditable ? 'https://example.com' : ''}
          {...field('contact.website', 500)}
          onBlur={() => isEditable && form.setFieldValue('contact.website', webAddressFrom)}
        />
        <TextInput label="Street" {...field('address.street1', 255)} />
        <TextInput label="Address line 2" {...field('address.street2', 255)} />
        <TextInput label="Postal code" {...field('address.postalCode', 32)} />
        <TextInput label="City" {...field('address.city', 255)} />
        <TextInput label="State or region" {...field('address.region', 255)} />
        <Select
          label="Country"
          placeholder={isEditable ? 'Not chosen' : ''}
          data={countryOptions}
          searchable
          clearable
          nothingFoundMessage="No countries match"
          clearButtonProps={{ 'aria-label': 'Clear country' }}
          readOnly={!isEditable}
          {...form.getInputProps('address.country')}
          value={form.values.address.country || null}
          onChange={(country) => form.setFieldValue('address.country', country ?? '')}
        />
      </SimpleGrid>
    </SettingsFormPanel>
  )
}

type Values = ReturnType<typeof valuesOf>

const trimmed = (groups: Partial<Values>): Partial<Values> =>
  Object.fromEntries(
    Object.entries(groups).map(([group, fields]) => [
      group,
      Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, text.trim()])),
    ]),
  )
