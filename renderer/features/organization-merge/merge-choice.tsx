import { Button, Group, Select, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { mergePreviewQuery, survivorSearchLimit, survivorSearchQuery } from '../../data/organization-merge.ts'
import { NoOrganization } from '../../domain/organizations/no-organization.tsx'
import { distinctName, idsWithSharedName, pairNames } from '../../domain/organizations/same-names.ts'
import { FormError } from '../../ui/form-error.tsx'
import { MergePreviewPanel } from './merge-preview.tsx'

export interface Survivor {
  id: string
  name: string
  slug: string
  deviceCount: number
  /** Distinguishes it from others of the same name. */
  label: string
}

interface Props {
  organization: Organization
  survivor: Survivor | null
  onChoose: (survivor: Survivor) => void
  onNext: () => void
  onClose: () => void
}

export function MergeChoice({ organization, survivor, onChoose, onNext, onClose }: Props) {
  const preview = useQuery({
    ...mergePreviewQuery(organization.id, survivor?.id ?? ''),
    enabled: survivor !== null,
  })
  const [loserName, survivorName] = survivor ? pairNames(organization, survivor) : [organization.name, '']
  return (
    <Stack>
      <SurvivorSelect organization={organization} survivor={survivor} onChoose={onChoose} />
      {survivor && (
        <MergePreviewPanel
          loser={loserName}
          survivor={survivorName}
          preview={preview.data}
          error={preview.error}
          onRetry={preview.refetch}
        />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Back
        </Button>
        <Button disabled={preview.data?.verdict !== 'ok'} onClick={onNext}>
          Continue
        </Button>
      </Group>
    </Stack>
  )
}

function SurvivorSelect({ organization, survivor, onChoose }: Pick<Props, 'organization' | 'survivor' | 'onChoose'>) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 200)
  // The name of the chosen one stands in the field and is no search.
  const { data = [], error, isFetching } = useQuery(survivorSearchQuery(search === survivor?.label ? '' : search))
  const fits = ({ id, partnerId, status }: Organization) =>
    id !== organization.id && partnerId === organization.partnerId && (status === 'active' || status === 'trial')
  const nameOf = distinctName(idsWithSharedName(data))
  const found = data.filter(fits).map((one) => ({ ...one, label: nameOf(one) }))
  const isAlone = !isFetching && !error && search === '' && data.length < survivorSearchLimit && found.length === 0
  const choices = survivor && !found.some(({ id }) => id === survivor.id) ? [survivor, ...found] : found
  if (isAlone)
    return <NoOrganization isInForm>There’s no other active organization that could take it over.</NoOrganization>
  return (
    <>
      <Select
        label="Target organization"
        description={`Everything in ${organization.name} moves to it.`}
        placeholder="Search by name"
        data-autofocus
        searchable
        allowDeselect={false}
        // The combobox scrolls the list itself.
        withScrollArea={false}
        styles={{ options: { maxHeight: 220, overflowY: 'auto' } }}
        nothingFoundMessage={isFetching ? 'Searching…' : 'No active organizations match'}
        data={choices.map(({ id, label }) => ({ value: id, label }))}
        value={survivor?.id ?? null}
        searchValue={text}
        onSearchChange={setText}
        onChange={(id) => {
          const chosen = choices.find((choice) => choice.id === id)
          if (chosen) onChoose(chosen)
        }}
      />
      <FormError error={error} />
    </>
  )
}
