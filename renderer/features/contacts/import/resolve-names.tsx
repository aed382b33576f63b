import { Button, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sitesQuery } from '../../../data/sites.ts'
import { count, dateOnly, plural } from '../../../lib/format.ts'
import { renderOptionDetails } from './option-details.tsx'
import { OrganizationSearch } from './organization-search.tsx'
import { type UnresolvedName, unresolvedNames } from './unresolved-names.ts'
import { useGuesses } from './use-guesses.ts'
import type { ImportWizard } from './use-import-wizard.ts'

const maxNames = 6

/** Unknown or ambiguous names; a choice applies to every row with the name. */
export function ResolveNames({ wizard }: { wizard: ImportWizard }) {
  const { rows, verdicts, resolved, resolve, resolveAll, isOperator, mapping } = wizard
  const [isAll, setAll] = useState(false)
  const names = unresolvedNames(rows, verdicts, resolved)
  const shown = isAll ? names : names.slice(0, maxNames)
  const partnerId = isOperator ? (mapping.partnerId ?? undefined) : undefined
  const guesses = useGuesses(
    shown.filter(({ key }) => !resolved.has(key)),
    partnerId,
  )
  if (names.length === 0) return null
  const labelOf = ({ place, text, amount, organizationName }: UnresolvedName) => {
    const where = organizationName && !mapping.isOneOrganization ? ` at ${organizationName}` : ''
    return `${text ? `“${text}”` : `No ${place}`}${where}: ${plural(amount, 'row')}`
  }
  return (
    <Stack component="section" gap="xs" aria-labelledby="open-names">
      <Title order={3} size="h5" id="open-names">
        Resolve names
      </Title>
      <Text size="sm" c="dimmed">
        These match no organization or site, or several. Your choice applies to every row with that name.
      </Text>
      {guesses.size > 1 && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => resolveAll(new Map([...guesses].map(([key, { id }]) => [key, id])))}
        >
          Use all {count(guesses.size)} suggestions
        </Button>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        {shown.map((name) =>
          name.place === 'site' ? (
            <SiteChoice
              key={name.key}
              label={labelOf(name)}
              name={name}
              value={resolved.get(name.key)}
              onChange={(id) => resolve([name.key], id)}
            />
          ) : (
            <div key={name.key}>
              <OrganizationSearch
                label={labelOf(name)}
                value={resolved.get(name.key) ?? null}
                onChange={(id) => resolve([name.key], id)}
                namedLike={name.text}
                partnerId={partnerId}
              />
              <Guess guess={guesses.get(name.key)} onUse={(id) => resolve([name.key], id)} />
            </div>
          ),
        )}
      </SimpleGrid>
      {!isAll && names.length > maxNames && (
        <Button variant="default" size="xs" onClick={() => setAll(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {count(names.length)} names
        </Button>
      )}
      <WithoutSite names={names.filter(({ place, key }) => place === 'site' && !resolved.has(key))} resolve={resolve} />
    </Stack>
  )
}

interface GuessProps {
  guess: { id: string; name: string } | undefined
  onUse: (id: string) => void
}

/** The organization that a name probably means. */
function Guess({ guess, onUse }: GuessProps) {
  if (!guess) return null
  return (
    <Button variant="subtle" size="compact-sm" mt={4} maw="100%" onClick={() => onUse(guess.id)}>
      Use “{guess.name}”
    </Button>
  )
}

/** For files in which many sites do not exist here. */
function WithoutSite({ names, resolve }: { names: readonly UnresolvedName[]; resolve: ImportWizard['resolve'] }) {
  if (names.length < 2) return null
  const keys = names.map(({ key }) => key)
  return (
    <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} onClick={() => resolve(keys, null)}>
      Use no site for these {count(rowsOf(names))} rows
    </Button>
  )
}

const rowsOf = (names: readonly UnresolvedName[]) => names.reduce((sum, { amount }) => sum + amount, 0)

interface SiteProps {
  label: string
  name: UnresolvedName
  value: string | null | undefined
  onChange: (id: string | null) => void
}

function SiteChoice({ label, name, value, onChange }: SiteProps) {
  const { data: sites } = useQuery({ ...sitesQuery(name.organizationId ?? ''), enabled: name.organizationId !== null })
  const details = new Map(
    sites?.map((site) => [site.id, `${plural(site.deviceCount, 'device')} · since ${dateOnly(site.createdAt)}`]),
  )
  return (
    <Select
      label={label}
      description={value ? details.get(value) : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Choose a site, or none"
      maw={420}
      searchable
      limit={50}
      allowDeselect={false}
      renderOption={renderOptionDetails(details)}
      data={[{ value: '', label: 'No site' }, ...(sites?.map(({ id, name }) => ({ value: id, label: name })) ?? [])]}
      value={value === null ? '' : (value ?? null)}
      onChange={(id) => onChange(id || null)}
    />
  )
}
