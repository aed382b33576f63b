import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { listedPermissions, slimContracts } from './slim-contracts.ts'

/**
 * Chromium compiles the first script as it arrives, beside the thread of the page, instead of each function when it is
 * called. The comment has to be the first line, above what Vite puts there.
 */
const compiledOnArrival: Plugin = {
  name: 'compiled-on-arrival',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && file.isEntry) file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
    },
  },
}

/** `vite build renderer`: the console, split by page with hashed names; the server serves `dist/renderer`. */
export default defineConfig({
  // The React Compiler remembers what a component has rendered: sorting the device list takes a quarter less time.
  plugins: [react({ compiler: true }), listedPermissions, slimContracts, compiledOnArrival],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy forbids data: URIs for scripts and styles, and small files are cheap on a LAN.
    assetsInlineLimit: 0,
    // In kB. The word lists that rate a new password are one chunk, loaded only where one is chosen.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page starts with is one file that the HTML names, so that no script has to run to ask for it.
            { name: 'start', tags: ['$initial'], priority: 1 },
            // What many pages use is one file; without it a page would fetch 150 small ones, and be a third slower.
            { name: 'shared', minShareCount: 6 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': { target: 'http://127.0.0.1:18080', changeOrigin: false } },
  },
})
