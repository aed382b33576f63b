import { useMediaQuery } from '@mantine/hooks'

/** Narrower than Mantine's `sm`, where the navigation folds away and lists become cards. */
const narrow = '(width < 48em)'

/** Whether this is a phone's screen or a window as narrow; right from the first drawing on. */
export const useNarrowScreen = (): boolean => useMediaQuery(narrow, window.matchMedia(narrow).matches)
