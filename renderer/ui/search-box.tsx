import { CloseButton, Kbd, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { maxSearchCharacters } from '../../shared/paging.ts'
import { useAreLetterKeysOn, useLetterKeys } from '../lib/letter-keys.ts'
import classes from './filter-bar.module.css'

interface Props {
  label: string
  value: string | undefined
  onSearch: (value: string | undefined) => void
}

/** Searches a moment after the last key press; `/` focuses it from anywhere on the page. */
export function SearchBox({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value ?? '')
  const field = useRef<HTMLInputElement>(null)
  const search = useDebouncedCallback((next: string) => onSearch(next.trim() || undefined), 250)
  const hasKey = useAreLetterKeysOn()
  useLetterKeys([['/', () => field.current?.focus()]])
  // The URL changed from outside, for example by the back button.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(value ?? '')
  }, [value])
  const change = (next: string) => {
    setText(next)
    search(next)
  }
  const clear = () => {
    change('')
    field.current?.focus()
  }
  return (
    <TextInput
      ref={field}
      type="search"
      role="searchbox"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={label}
      value={text}
      maxLength={maxSearchCharacters}
      flex="1 1 220px"
      className={classes.search}
      leftSection={<IconSearch size={16} />}
      rightSection={
        text ? (
          <CloseButton size="sm" tabIndex={-1} aria-label="Clear the search" onClick={clear} />
        ) : (
          hasKey && (
            <Kbd size="xs" visibleFrom="sm" aria-hidden>
              /
            </Kbd>
          )
        )
      }
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') text ? change('') : field.current?.blur()
      }}
    />
  )
}
