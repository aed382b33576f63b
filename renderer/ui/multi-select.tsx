import {
  type ComboboxRenderPillInput,
  MultiSelect as MantineMultiSelect,
  type MultiSelectProps,
  Pill,
  VisuallyHidden,
} from '@mantine/core'
import { useState } from 'react'

interface Option {
  value: string
  label: string
}

interface Props extends Omit<MultiSelectProps, 'data'> {
  data: readonly Option[]
}

/** Says what is chosen, which Mantine only shows: as the description of the field, on each change, and to remove it. */
export function MultiSelect({ data, value = [], onChange, ...props }: Props) {
  const [change, setChange] = useState('')
  const nameOf = (id: string) => data.find((option) => option.value === id)?.label ?? id
  const take = (next: string[]) => {
    const added = next.filter((id) => !value.includes(id)).map((id) => `${nameOf(id)} added`)
    const removed = value.filter((id) => !next.includes(id)).map((id) => `${nameOf(id)} removed`)
    setChange([...added, ...removed].join(', '))
    onChange?.(next)
  }
  const chosen = value.map(nameOf).join(', ')
  return (
    <>
      <MantineMultiSelect
        {...props}
        data={data}
        value={value}
        onChange={take}
        renderPill={renderPill}
        {...(chosen && { 'aria-description': `Chosen: ${chosen}. Backspace removes the last one.` })}
      />
      <VisuallyHidden role="status">{change}</VisuallyHidden>
    </>
  )
}

const renderPill = ({ option, value, onRemove, disabled }: ComboboxRenderPillInput) => {
  const name = option?.label ?? value
  return (
    <Pill
      withRemoveButton={!disabled}
      onRemove={() => onRemove?.()}
      removeButtonProps={{ 'aria-hidden': false, 'aria-label': `Remove ${name}` }}
    >
      {name}
    </Pill>
  )
}
