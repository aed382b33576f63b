import { Alert, Button, Group, Select, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { SiteRow } from '../../../data/sites.ts'
import { siteOptions } from '../../../domain/sites/site-names.ts'

interface Props {
  orgName: string
  /** To choose from; undefined while loading. */
  sites: readonly SiteRow[] | undefined
  /** The organization has one more site: that of the devices. */
  hasPresentSite: boolean
  hint: string | undefined
  isFirst: boolean
  isDisabled: boolean
  field: GetInputPropsReturnType
  /** Null for users who may not. */
  onAdd: (() => void) | null
}

export function SiteField({ sites, hint, isFirst, isDisabled, field, ...rest }: Props) {
  if (sites?.length === 0) return <NoSite {...rest} />
  return (
    <div>
      <Select
        label="Site"
        description={hint}
        {...(isFirst && { autoFocus: true, 'data-autofocus': true })}
        searchable
        openOnFocus={false}
        allowDeselect={false}
        disabled={isDisabled}
        limit={50}
        nothingFoundMessage={sites ? 'No sites match' : 'Loading…'}
        data={siteOptions(sites ?? [])}
        {...field}
      />
      {rest.onAdd && (
        <Button variant="subtle" size="compact-sm" mt={6} ml={-8} onClick={rest.onAdd}>
          New site
        </Button>
      )}
    </div>
  )
}

function NoSite({ orgName, hasPresentSite, onAdd }: Pick<Props, 'orgName' | 'hasPresentSite' | 'onAdd'>) {
  return (
    <Alert variant="light" p="sm">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {hasPresentSite ? `${orgName} has only this site.` : `${orgName} has no sites yet.`}
          {!onAdd && ' Ask someone who can manage its sites.'}
        </Text>
        {onAdd && (
          <Button variant="default" size="xs" onClick={onAdd}>
            New site
          </Button>
        )}
      </Group>
    </Alert>
  )
}
