import { Button, MultiSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ImportedAuthority, TrustFile } from '../../../../shared/bridge.ts'
import { dateOnly } from '../../../lib/format.ts'
import { Fingerprint } from '../fingerprint.tsx'

interface Authority {
  id: string
  subject: string | null
  sha256: string | null
  expiresAt: string | null
}

/** Certificate authorities of the document, and those added in the form. */
export const knownAuthorities = (file: TrustFile, added: ImportedAuthority[]): Authority[] => [
  ...file.trust.certificateAuthorities,
  ...added.map(({ authority, ...facts }) => ({ id: authority.id, ...facts })),
]

interface AuthorityProps {
  file: TrustFile
  added: ImportedAuthority[]
  value: string[]
  onChange: (ids: string[]) => void
  /** Resolves to the error of the chosen file. */
  onImport: () => Promise<string | null>
}

export function AuthorityField({ file, added, value, onChange, onImport }: AuthorityProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const known = knownAuthorities(file, added)
  return (
    <Stack gap="xs">
      <MultiSelect
        label="Certificate authorities"
        description="None: public ones are trusted."
        placeholder={value.length === 0 ? 'Public authorities' : ''}
        error={problem}
        data={known.map(({ id, subject }) => ({ value: id, label: subject ?? id }))}
        value={value}
        onChange={onChange}
      />
      {known
        .filter(({ id }) => value.includes(id))
        .map(({ id, expiresAt, sha256 }) => (
          <Text key={id} size="xs" c="dimmed" component="div">
            {expiresAt && `${id}, until ${dateOnly(expiresAt)}. SHA-256:`}
            {sha256 && <Fingerprint hex={sha256.replaceAll(':', '')} label={`Copy the fingerprint of ${id}`} />}
          </Text>
        ))}
      <div>
        <Button variant="default" size="xs" onClick={() => onImport().then(setProblem)}>
          Choose a certificate…
        </Button>
      </div>
    </Stack>
  )
}
