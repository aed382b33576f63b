import { Combobox, Modal, Text, TextInput, useVirtualizedCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCheck, IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { maxSearchCharacters } from '../../../shared/paging.ts'
import { useRememberOrganizations } from '../../domain/organizations/recent-organizations.ts'
import {
  useHasOrganizationChoice,
  useSelectedOrganizationId,
  useSelectOrganization,
} from '../../domain/organizations/selected-organization.ts'
import { isDialogOpen } from '../../lib/dialog-open.ts'
import { plural } from '../../lib/format.ts'
import { useLetterKeys } from '../../lib/letter-keys.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import option from '../../ui/option-row.module.css'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { type OrganizationOption, useOrganizationOptions } from './organization-options.ts'
import classes from './switch-dialog.module.css'

/** The dialog that every switcher button and the key "s" open. */
export function OrganizationSwitchDialog() {
  const hasChoice = useHasOrganizationChoice()
  const { dialog } = useSearch({ from: '/app' })
  const navigate = useNavigate()
  const open = useOpenDialog('organization')
  useLetterKeys([['s', () => hasChoice && !isDialogOpen() && open()]])
  useRememberOrganizations()
  const close = () => navigate({ to: '.', search: (old) => ({ ...old, dialog: undefined }), replace: true })
  return (
    <Modal
      opened={dialog === 'organization' && hasChoice}
      onClose={close}
      title="Choose an organization"
      fullScreen={useNarrowScreen()}
      yOffset="10dvh"
    >
      <Search onClose={close} />
    </Modal>
  )
}

const rowHeight = 40
const pauseMs = 120
const optionId = (organization: OrganizationOption) => `organization-${organization.id ?? 'all'}`

function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), pauseMs)
  const select = useSelectOrganization()
  const { options, error, refetch, data, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useOrganizationOptions(asked)
  const [index, setIndex] = useState(0)
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: options.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const isBehind = asked !== text.trim() || isPlaceholderData
  const submit = useSubmit(options, isBehind, select)
  // Mantine tells the field of its list only when it is rendered again, which may not happen.
  const listId = useId()
  const combobox = useVirtualizedCombobox({
    opened: true,
    loop: false,
    totalOptionsCount: options.length,
    getOptionId: (at) => (options[at] ? optionId(options[at]) : null),
    selectedOptionIndex: index,
    setSelectedOptionIndex: (at) => {
      setIndex(at)
      if (at >= 0) virtual.scrollToIndex(at)
    },
    onSelectedOptionSubmit: submit,
    onDropdownClose: onClose,
  })
  const rows = virtual.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= options.length - 20) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, last, options.length, fetchNextPage])
  const type = (next: string) => {
    setText(next)
    setIndex(0)
    virtual.scrollToOffset(0)
  }
  if (error && !data) return <LoadFailed error={error} onRetry={refetch} />
  const active = options[index]
  const isDrawn = rows.some((row) => row.index === index)
  return (
    <Combobox store={combobox}>
      <Combobox.EventsTarget
        withExpandedAttribute
        aria-controls={listId}
        aria-activedescendant={active && isDrawn ? optionId(active) : undefined}
      >
        <TextInput
          data-autofocus
          aria-label="Search organizations"
          placeholder="Search organizations"
          leftSection={<IconSearch size={16} />}
          value={text}
          maxLength={maxSearchCharacters}
          onChange={(event) => type(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      {!data && <SkeletonLines count={4} />}
      {data && options.length === 0 && (
        <Text size="sm" c="dimmed" py="md">
          No organizations match.
        </Text>
      )}
      <Combobox.Options
        id={listId}
        ref={scroller}
        aria-label="Organizations"
        className={classes.list}
        hidden={options.length === 0}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize() }}>
          {rows.map((row) => {
            const organization = options[row.index]
            return (
              organization && (
                <Option
                  key={row.key}
                  organization={organization}
                  isActive={row.index === index}
                  top={row.start}
                  onChoose={() => select(organization.id)}
                />
              )
            )
          })}
        </div>
      </Combobox.Options>
      <Text size="xs" c="dimmed" mt="xs" aria-live="polite" className="nums">
        {data && !isBehind && plural(data.pages[0]?.pagination.total ?? 0, 'organization')}
      </Text>
    </Combobox>
  )
}

/** Enter right after typing selects the first result of that search, once it has arrived. */
function useSubmit(options: OrganizationOption[], isBehind: boolean, select: (id: string | undefined) => unknown) {
  const [isWaiting, setWaiting] = useState(false)
  const takeFirst = useEffectEvent(() => {
    setWaiting(false)
    const [first] = options
    if (first) select(first.id)
  })
  useEffect(() => {
    if (isWaiting && !isBehind) takeFirst()
  }, [isWaiting, isBehind])
  return (index: number) => {
    const organization = options[index]
    if (isBehind) setWaiting(true)
    else if (organization) select(organization.id)
  }
}

function Option(props: { organization: OrganizationOption; isActive: boolean; top: number; onChoose: () => void }) {
  const { organization, isActive, top, onChoose } = props
  const isCurrent = useSelectedOrganizationId() === organization.id
  return (
    <Combobox.Option
      id={optionId(organization)}
      value={organization.id ?? ''}
      selected={isActive}
      aria-selected={isActive}
      className={`${classes.option} ${option.row}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onChoose}
    >
      <span className={classes.one}>{organization.name}</span>
      {organization.identity && <span className={classes.note}>{organization.identity}</span>}
      {organization.isRecent && <span className={classes.note}>recent</span>}
      {isCurrent && <IconCheck size={16} aria-label="current" />}
    </Combobox.Option>
  )
}
