import { Checkbox, Group, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { DesktopBridge, ImportedAuthority, TrustFile } from '../../../../shared/bridge.ts'
import type { ListedHost } from '../../../../shared/sso-trust-document.ts'
import type { TrustChange } from '../../../data/sso-trust.ts'
import { inRange } from '../../../lib/number-range.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { NumberField } from '../../../ui/number-field.tsx'
import { AuthorityField, knownAuthorities } from './authority-field.tsx'
import { OwnersField } from './owners-field.tsx'

interface Props {
  desktop: DesktopBridge
  file: TrustFile
  /** Index of the host in the document; null for a new one. */
  index: number | null
  save: (change: TrustChange) => Promise<boolean>
}

const portRange = { min: 1, max: 65_535 }

interface Values {
  host: string
  port: number | string
  addresses: string[]
  ca: string[]
  alsoPublicRoots: boolean
  /** Null for all. */
  owners: string[] | null
}

export function TrustedHostForm({ desktop, file, index, save }: Props) {
  const hosts = file.document?.hosts ?? []
  const [added, setAdded] = useState<ImportedAuthority[]>([])
  const form = useForm({
    initialValues: valuesOf(index === null ? undefined : hosts[index]),
    validate: {
      host: (host) => (/^[^\s/]+$/.test(host.trim()) ? null : 'Enter only the name, without https:// or a path'),
      port: inRange(portRange),
      owners: (owners) => (owners?.length === 0 ? 'Choose at least one' : null),
    },
  })
  const saving = useFormSubmission(form, {
    mutationFn: (values: Values) => {
      const host = hostOf(values)
      const rest = index === null ? [...hosts, host] : hosts.map((other, at) => (at === index ? host : other))
      return save({ file, hosts: rest, added: added.map(({ authority }) => authority) })
    },
    onSuccess: (isSaved) => isSaved && form.resetDirty(),
  })
  return (
    <DialogForm saving={saving} action="Save…">
      <Group align="flex-start" wrap="nowrap">
        <TextInput label="Host" placeholder="idp.corp.lan" flex={1} data-autofocus {...form.getInputProps('host')} />
        <NumberField label="Port" w={110} hideControls range={portRange} {...form.getInputProps('port')} />
      </Group>
      <TagsInput
        label="Allowed addresses"
        description="An address or a range such as 10.20.0.0/24. Leave empty for public ones."
        placeholder={form.values.addresses.length === 0 ? '10.20.0.15' : ''}
        acceptValueOnBlur
        splitChars={[',', ' ']}
        {...form.getInputProps('addresses')}
      />
      <AuthorityField
        file={file}
        added={added}
        value={form.values.ca}
        onChange={(ca) => form.setFieldValue('ca', ca)}
        onImport={async () => {
          const imported = await desktop.importAuthority()
          if (!imported) return null
          if ('problem' in imported) return imported.problem
          const { id } = imported.authority
          if (!knownAuthorities(file, added).some((known) => known.id === id)) setAdded([...added, imported])
          if (!form.values.ca.includes(id)) form.setFieldValue('ca', [...form.values.ca, id])
          return null
        }}
      />
      {form.values.ca.length > 0 && (
        <Checkbox
          label="Also trust public authorities"
          {...form.getInputProps('alsoPublicRoots', { type: 'checkbox' })}
        />
      )}
      <OwnersField
        value={form.values.owners}
        error={form.errors.owners}
        onChange={(owners) => form.setFieldValue('owners', owners)}
      />
    </DialogForm>
  )
}

const valuesOf = (host: ListedHost | undefined): Values => ({
  host: host?.host ?? '',
  port: host?.port ?? 443,
  addresses: host?.addresses ?? [],
  ca: host?.ca ?? [],
  alsoPublicRoots: host?.alsoPublicRoots ?? false,
  owners: host?.owners ?? null,
})

const hostOf = ({ host, port, addresses, ca, alsoPublicRoots, owners }: Values): ListedHost => ({
  host: host.trim().toLowerCase(),
  port: Number(port),
  alsoPublicRoots: ca.length > 0 && alsoPublicRoots,
  ...(addresses.length > 0 && { addresses: addresses.map(asRange) }),
  ...(ca.length > 0 && { ca }),
  ...(owners && { owners }),
})

/** A single address is a range of one. */
const asRange = (text: string) => (text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`)
