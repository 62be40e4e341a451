import DefaultTheme from 'vitepress/theme';
import LiveCode from './LiveCode.vue';
import 'katex/dist/katex.min.css';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LiveCode', LiveCode);
  },
};
