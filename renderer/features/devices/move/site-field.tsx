import { Button, Select } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { SiteRow } from '../../../data/sites.ts'
import { NoSite } from '../../../domain/sites/new-site.tsx'
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

export function SiteField({ orgName, sites, hasPresentSite, hint, isFirst, isDisabled, field, onAdd }: Props) {
  if (sites?.length === 0)
    return (
      <NoSite onAdd={onAdd}>
        {hasPresentSite ? `${orgName} has only this site.` : `${orgName} has no sites yet.`}
      </NoSite>
    )
  return (
    <div>
      <Select
        label="Site"
        description={hint}
        {...(isFirst && { autoFocus: true, 'data-autofocus': true })}
        searchable
        allowDeselect={false}
        disabled={isDisabled}
        limit={50}
        nothingFoundMessage={sites ? 'No sites match' : 'Loading…'}
        data={siteOptions(sites ?? [])}
        {...field}
      />
      {onAdd && (
        <Button variant="subtle" size="compact-sm" mt={6} ml={-8} onClick={onAdd}>
          New site
        </Button>
      )}
    </div>
  )
}
